import { secretMask } from "#contract/variables.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import type { Sealing, SecretPlace } from "../keys/sealing.ts";

/** The location whose proxy it is. Data center locations have none. */
export interface ProxyOwner {
  readonly accountId: number | null;
  readonly uuid: string;
}

/** Scheme and user, password, host. Not a URL yet: any part may be a template. */
const withPassword = /^([a-z][a-z0-9+.-]*:\/\/[^:/@]*):(.*)@([^@]*)$/i;
const onlyTemplates = /^(?:\{{2,3}[^{}]+\}{2,3})+$/;

/**
 * What is stored of a proxy's address: sealed where it has a password. Asterisks keep the password that is stored, for the same user and host.
 *
 * @throws {AppError} invalid_input for asterisks that stand for nothing
 */
export function sealedProxyUrl(sent: string | null, sealing: Sealing, owner: ProxyOwner, stored: string | null): string | null {
  const parts = secretParts(sent);
  if (parts === null) return sent;
  const place = placeOf(owner);
  if (parts.password !== secretMask) return sealing.seal(parts.whole, place);
  const before = secretParts(openedProxyUrl(stored, sealing, owner));
  if (stored !== null && before?.user === parts.user && before.host === parts.host) return sealing.renewed(stored, place);
  const message = "has asterisks for a password, and there is none to keep for this user and host";
  throw invalidInput([{ path: "proxyUrl", message }]);
}

/** As it is read back: a password reads as asterisks, and so does an address that cannot be opened any more. */
export function shownProxyUrl(stored: string | null, sealing: Sealing, owner: ProxyOwner): string | null {
  const opened = openedProxyUrl(stored, sealing, owner);
  if (opened === null) return stored === null ? null : secretMask;
  const parts = secretParts(opened);
  return parts === null ? opened : `${parts.user}:${secretMask}@${parts.host}`;
}

/** What checks go through. Null where there is no proxy, and where its address was sealed under a key that is gone. */
export function openedProxyUrl(stored: string | null, { unseal }: Pick<Sealing, "unseal">, owner: ProxyOwner): string | null {
  return stored?.startsWith("sealed:") ? unseal(stored, placeOf(owner)) : stored;
}

interface SecretParts {
  readonly whole: string;
  readonly user: string;
  readonly password: string;
  readonly host: string;
}

/** Null where there is nothing to hide: no password, or one that stands in variables. */
function secretParts(url: string | null): SecretParts | null {
  const [whole = "", user = "", password = "", host = ""] = withPassword.exec(url ?? "") ?? [];
  return password === "" || onlyTemplates.test(password) ? null : { whole, user, password, host };
}

function placeOf({ accountId, uuid }: ProxyOwner): SecretPlace {
  return { kind: "private-location", accountId: accountId ?? 0, row: uuid, field: "proxyUrl" };
}
