import type { JobCertificate, JobVariable } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";
import type { Sealing, SecretPlace } from "../keys/sealing.ts";
import { certificatePlace } from "../kinds/client-certificate.ts";
import type { KeptCertificate } from "./account-material.ts";
import type { KeptVariable } from "./kept-variables.ts";

/** Tells the operator of a secret that cannot be opened any more. */
export type LostSecretLog = (place: SecretPlace) => void;

const minuteMs = 60_000;
/** The others of the minute go unsaid. */
const saidPerMinute = 100;

/** Each secret once a minute: a job may need it many times a second. */
export function createLostSecretLog({ log, nowMs }: { readonly log: Pick<Logger, "warn">; readonly nowMs: () => number }): LostSecretLog {
  let minute = 0;
  let said = new Set<string>();
  return (place) => {
    const now = Math.floor(nowMs() / minuteMs);
    if (now !== minute) [minute, said] = [now, new Set()];
    const name = JSON.stringify(place);
    if (said.has(name) || said.size >= saidPerMinute) return;
    said.add(name);
    log.warn({ ...place }, "cannot decrypt a secret; runs go without it until you set it again");
  };
}

type Unsealing = Pick<Sealing, "unseal">;

/**
 * Opens variables for a job, up to so many bytes of keys and values, the first ones first; `lost` are keys of those that have no value any
 * more, or never had one.
 */
export function createVariableOpener({ unseal }: Unsealing, sayLost: LostSecretLog) {
  /** Those of an account stay the same objects from job to job. */
  const opened = new WeakMap<KeptVariable, string | null>();

  function valueOf(variable: KeptVariable): string | null {
    if (variable.sealed === undefined) return variable.value;
    const known = opened.get(variable);
    if (known !== undefined) return known;
    const value = unseal(variable.sealed, variable.place);
    opened.set(variable, value);
    return value;
  }

  return (
    variables: readonly KeptVariable[],
    maxBytes: number,
  ): { readonly variables: JobVariable[]; readonly lost: readonly string[] } => {
    const [readable, lost]: [JobVariable[], string[]] = [[], []];
    let bytes = 0;
    for (const variable of variables) {
      const { key, isSecret, place } = variable;
      const value = valueOf(variable);
      if (value === null) {
        lost.push(key);
        sayLost(place);
        continue;
      }
      bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
      if (bytes > maxBytes) break;
      readable.push({ key, value, isSecret });
    }
    return { variables: readable, lost };
  };
}

/** Opens client certificates for a job, up to so many bytes. One whose key or passphrase is lost is left out, as if it were deleted. */
export function createCertificateOpener({ unseal }: Unsealing, sayLost: LostSecretLog) {
  return (accountId: number, certificates: readonly KeptCertificate[], maxBytes: number): JobCertificate[] => {
    let bytes = 0;
    return certificates.flatMap(({ uuid, host, cert, ca, ...sealed }) => {
      bytes += cert.length + (ca ?? "").length + sealed.key.length;
      if (bytes > maxBytes) return [];
      const place = certificatePlace(accountId, uuid);
      const key = unseal(sealed.key, place("key"));
      const passphrase = sealed.passphrase === null ? null : unseal(sealed.passphrase, place("passphrase"));
      const isWhole = key !== null && (passphrase === null) === (sealed.passphrase === null);
      if (isWhole) return [{ host, cert, ca, key, passphrase }];
      sayLost({ kind: "client-certificate", accountId, row: uuid, field: key === null ? "key" : "passphrase" });
      return [];
    });
  };
}
