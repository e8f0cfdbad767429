import { ConfigError } from "#daemon/env.ts";
import type { Secret } from "#daemon/secret.ts";
import { hashKey } from "#domain/key.ts";
import type { ControlPlaneConfig } from "../config.ts";
import { loadDataKey } from "../keys/data-key.ts";
import { checkPepper, readPepper } from "../keys/pepper.ts";
import type { MarkStore } from "../storage/storage.ts";
import type { Examined, Finding } from "./finding.ts";

/** Pepper and encryption key against what the store keeps of them. @param marks null: the store cannot be asked */
export async function examineKeys(config: ControlPlaneConfig, marks: ReadonlyMap<string, string> | null): Promise<Examined> {
  return { findings: [await examinePepper(config, marks?.get("pepper")), await examineEncryptionKey(config, marks?.get("data-key"))] };
}

async function examinePepper(config: ControlPlaneConfig, mark: string | undefined): Promise<Finding> {
  const about = "pepper";
  try {
    const pepper = config.keyPepper ?? (await readPepper(config));
    if (pepper === null)
      return mark === undefined
        ? { about, verdict: "ok", text: "there is none yet; the first start makes it" }
        : {
            about,
            verdict: "fail",
            text: `there is no file pepper in ${config.dataDir}`,
            next: "put it back, or set KEY_PEPPER: without it every key is void",
          };
    if (mark === undefined)
      return { about, verdict: "ok", text: `${sourceOf(config.keyPepper, "KEY_PEPPER")}; the store has nothing to hold it against` };
    await checkPepper(config, unchanging(mark), (text) => hashKey(pepper.reveal(), text), false);
    return { about, verdict: "ok", text: `${sourceOf(config.keyPepper, "KEY_PEPPER")}, and the keys of this store were made with it` };
  } catch (error) {
    return failed(about, error, "every API key is refused until this is put right");
  }
}

async function examineEncryptionKey(config: ControlPlaneConfig, mark: string | undefined): Promise<Finding> {
  const about = "encryption key";
  if (mark === undefined) return { about, verdict: "ok", text: "the store has nothing to hold it against" };
  try {
    let isPrevious = false;
    await loadDataKey(config, unchanging(mark), { info: () => (isPrevious = true) });
    const from = sourceOf(config.encryptionKey, "ENCRYPTION_KEY");
    if (!isPrevious) return { about, verdict: "ok", text: `${from}, and the secrets of this store open with it` };
    return {
      about,
      verdict: "warn",
      text: `${from}; the secrets of this store still open with the one before (ENCRYPTION_KEY_PREVIOUS)`,
      next: "start the control plane once with both; then the one before is needed no more",
    };
  } catch (error) {
    return failed(about, error, "the control plane does not start until this is put right");
  }
}

function failed(about: "pepper" | "encryption key", error: unknown, next: string): Finding {
  if (!(error instanceof ConfigError)) throw error;
  return { about, verdict: "fail", text: error.message, next };
}

/** The store's mark as it was read: a look changes nothing. */
function unchanging(mark: string): MarkStore {
  return { keep: async () => mark, find: async () => mark, replace: async () => undefined };
}

function sourceOf(given: Secret | null, name: string): string {
  return given === null ? "it is in a file of DATA_DIR" : `it is set by ${name}`;
}
