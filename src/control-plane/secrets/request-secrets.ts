import type { ApiRequest, KeyValue } from "#contract/checks/api.ts";
import { secretMask } from "#contract/variables.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import { isSensitiveHeader } from "#domain/scrub/sensitive.ts";
import { isSealed, type Sealing, type SecretPlace } from "../keys/sealing.ts";

/** What a request of a check, or the defaults of a group for requests, has of secrets. What one does not have is absent. */
export interface SecretRequest {
  readonly url?: string | null | undefined;
  readonly headers?: readonly KeyValue[] | undefined;
  readonly queryParameters?: readonly KeyValue[] | undefined;
  readonly basicAuth?: ApiRequest["basicAuth"];
  readonly grpcConfig?: { readonly metadata?: readonly Entry[] | undefined } | undefined;
}

/** A header, a parameter, or metadata of a gRPC call, which is never locked. */
type Entry = Pick<KeyValue, "key" | "value"> & Partial<Pick<KeyValue, "locked">>;

/** What holds the request, as its sealed values are bound to it; `field` is where the request is in it: `request`, `apiCheckDefaults`. */
export type RequestPlace = SecretPlace;

/** Opens a sealed value, for those who may read it; null: nobody may. */
export type Reveal = Sealing["unseal"] | null;

/**
 * A request as it is to be stored: the password of basic auth, that of a URL, locked values, and headers that are secret by their name are sealed. Asterisks keep
 * the value that `before` has under the same name. A value that is nothing but a template (`Bearer {{TOKEN}}`) is no secret, and stays.
 *
 * @throws {AppError} invalid_input for asterisks that stand for nothing
 */
export function sealedRequest<R extends SecretRequest>(
  request: R,
  before: SecretRequest,
  sealing: Pick<Sealing, "seal" | "renewed">,
  place: RequestPlace,
): R {
  const known = new Map<string, string>();
  eachValue(before, (value, { field }) => void known.set(field, value));
  const problems: InputProblem[] = [];
  const sealed = mapValues(request, (value, { field, path, isSecret }) => {
    const at = { ...place, field: `${place.field}.${field}` };
    if (value === secretMask) {
      const kept = known.get(field);
      if (kept === undefined || kept === "")
        return refuse(problems, `${place.field}.${path}`, "is the asterisks that stand for a secret, and there is none to keep");
      if (!isSecret) return refuse(problems, `${place.field}.${path}`, "must be given: it is kept only for an entry that stays locked");
      return isSealed(kept) ? sealing.renewed(kept, at) : sealing.seal(kept, at);
    }
    if (!isSecret && isSealed(value))
      return refuse(problems, `${place.field}.${path}`, "looks like a sealed secret, which nobody can send");
    return isSecret && value !== "" && !isTemplate(value) ? sealing.seal(value, at) : value;
  });
  if (problems.length > 0) throw invalidInput(problems);
  return sealed;
}

/** A stored request for the one job that needs it. `onLost`: a value cannot be opened any more, and the request goes without it. */
export function openedRequest<R extends SecretRequest>(
  request: R,
  { unseal }: Pick<Sealing, "unseal">,
  place: RequestPlace,
  onLost: (place: SecretPlace) => void,
): R {
  return mapValues(request, (value, { field }) => {
    if (!isSealed(value)) return value;
    const at = { ...place, field: `${place.field}.${field}` };
    const opened = unseal(value, at);
    if (opened === null) onLost(at);
    return opened ?? "";
  });
}

/** A request with the secrets of a stored one in the place of the asterisks that stand for them. Others stay. @param place of the stored one */
export function filledRequest<R extends SecretRequest>(
  request: R,
  stored: SecretRequest,
  sealing: Pick<Sealing, "unseal">,
  place: RequestPlace,
): R {
  const known = new Map<string, string>();
  eachValue(
    openedRequest(stored, sealing, place, () => undefined),
    (value, { field }) => void known.set(field, value),
  );
  // What cannot be opened any more is empty: its asterisks stay, and are refused.
  return mapValues(request, (value, { field, isSecret }) => (value === secretMask && isSecret && known.get(field)) || value);
}

/** A stored request as it is read back: secrets as asterisks, or for those who may read them as they are. */
export function shownRequest<R extends SecretRequest>(request: R, reveal: Reveal, place: RequestPlace): R {
  return mapValues(request, (value, { field, isSecret }) => {
    if (!isSealed(value)) return isSecret && value !== "" && !isTemplate(value) && reveal === null ? secretMask : value;
    return reveal?.(value, { ...place, field: `${place.field}.${field}` }) ?? secretMask;
  });
}

/** A stored request with what an earlier release left open sealed; what is sealed stays as it is. */
export function sealedWhereOpen<R extends SecretRequest>(request: R, { seal }: Pick<Sealing, "seal">, place: RequestPlace): R {
  return mapValues(request, (value, { field, isSecret }) =>
    isSecret && value !== "" && !isSealed(value) && !isTemplate(value)
      ? seal(value, { ...place, field: `${place.field}.${field}` })
      : value,
  );
}

interface Found {
  /** What names it, however entries are ordered: `headers.authorization#0` is the first of that name. */
  readonly field: string;
  /** Where it is: `headers[2].value`. */
  readonly path: string;
  readonly isSecret: boolean;
}

function mapValues<R extends SecretRequest>(request: R, change: (value: string, found: Found) => string): R {
  const entries = (name: string, at: string, list: readonly Entry[] | undefined, isByName: (key: string) => boolean) => {
    if (list === undefined) return {};
    const counts = new Map<string, number>();
    const changed = list.map((entry, index) => {
      const key = entry.key.toLowerCase();
      const nth = counts.get(key) ?? 0;
      counts.set(key, nth + 1);
      const found = { field: `${at}.${key}#${nth}`, path: `${at}[${index}].value`, isSecret: entry.locked === true || isByName(key) };
      return { ...entry, value: change(entry.value, found) };
    });
    return { [name]: changed };
  };
  const { basicAuth, url, headers, queryParameters, grpcConfig } = request;
  const field = "basicAuth.password";
  return {
    ...request,
    ...(typeof url === "string" && urlPassword.test(url) && { url: withPassword(url, change) }),
    ...entries("headers", "headers", headers, isSensitiveHeader),
    ...entries("queryParameters", "queryParameters", queryParameters, () => false),
    ...(grpcConfig && {
      grpcConfig: { ...grpcConfig, ...entries("metadata", "grpcConfig.metadata", grpcConfig.metadata, isSensitiveHeader) },
    }),
    ...(basicAuth && { basicAuth: { ...basicAuth, password: change(basicAuth.password, { field, path: field, isSecret: true }) } }),
  };
}

/** By text, because a URL with templates does not parse. */
const urlPassword = /^([a-z][a-z0-9+.-]*:\/\/[^/?#@:]*:)([^/?#]+)(?=@)/i;

/** A sealed password stands in a URL as one that is percent-encoded, so that the URL stays one. */
function withPassword(url: string, change: (value: string, found: Found) => string): string {
  return url.replace(urlPassword, (_all, before: string, written: string) => {
    const sealed = written.startsWith("sealed%3A") ? decodeURIComponent(written) : written;
    const changed = change(sealed, { field: "url.password", path: "url", isSecret: true });
    return before + (isSealed(changed) ? encodeURIComponent(changed) : changed);
  });
}

function eachValue(request: SecretRequest, look: (value: string, found: Found) => void): void {
  mapValues(request, (value, found) => {
    look(value, found);
    return value;
  });
}

/** At most the word of a scheme, and then placeholders alone: what stands there is filled in when it runs. */
function isTemplate(value: string): boolean {
  return /^(?:[\w-]{1,30} )?(?:\{\{[^{}]{1,200}\}\})+$/.test(value.trim());
}

function refuse(problems: InputProblem[], path: string, message: string): string {
  problems.push({ path, message });
  return "";
}
