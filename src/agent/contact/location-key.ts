import { ConfigError } from "#daemon/env.ts";
import type { Logger } from "#daemon/logger.ts";
import type { Secret } from "#daemon/secret.ts";
import { readSecretFile } from "#daemon/secret-file.ts";
import type { KeySource } from "../config.ts";

const otherKinds: Readonly<Record<string, string>> = { sv_: "a service key", cu_: "a user key", as_: "a session token" };

/**
 * Reads the location's key. A file is read at every call, so that a rotated key is found.
 *
 * @throws {ConfigError} when the file cannot be used, or the key is of another kind
 */
export function readLocationKey(source: KeySource): Secret {
  const key = source.from === "value" ? source.key : readSecretFile("API_KEY_FILE", source.path);
  const text = key.reveal();
  if (text.startsWith("pl_")) return key;
  const kind = otherKinds[text.slice(0, 3)] ?? "no key of Outpost";
  const name = source.from === "value" ? "API_KEY" : `API_KEY_FILE: ${source.path}`;
  throw new ConfigError(`${name} holds ${kind}; an agent needs the key of a location (pl_…), which comes with a new private location`);
}

/**
 * Reads the key for each new session. Once it was good, a file that has become bad keeps the last key in use and is warned of once: only
 * the control plane's refusal stops an agent that works.
 */
export function createKeyReader(source: KeySource, log: Pick<Logger, "info" | "warn">): () => Secret {
  if (source.from === "file" && source.hidesValue) log.warn({}, "API_KEY and API_KEY_FILE are both set; using the file");
  let last: Secret | null = null;
  let trouble = "";
  return () => {
    try {
      last = readLocationKey(source);
      if (trouble !== "") log.info({}, "the key file is readable again");
      trouble = "";
      return last;
    } catch (error) {
      if (last === null || !(error instanceof ConfigError)) throw error;
      if (error.message !== trouble) log.warn({ reason: error.message }, "cannot use the key file; keeping the previous key");
      trouble = error.message;
      return last;
    }
  };
}
