import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { isSealed, type Sealing } from "../keys/sealing.ts";
import { type StoredAccountVariable, variablePlace } from "../kinds/variable.ts";
import { sealedWhereOpenIn } from "../secrets/definition-secrets.ts";
import type { DefinitionKind, DefinitionRow, DefinitionStore, MarkStore } from "../storage/storage.ts";
import { hashPingTokens, type PingTokenDeps } from "./hash-ping-tokens.ts";

const mark = "secrets sealed";
const pageSize = 100;
const restMs = 86_400_000;
const shortRestMs = 60_000;
const kinds = ["check", "check-group", "variable"] as const;

/**
 * Seals, once, what earlier releases stored in plain text: passwords of basic auth, locked values and headers that are secret by their name. A row
 * that somebody writes meanwhile is sealed by that. Tokens of pings follow, and are looked for each day: what still runs of an earlier release writes more.
 */
export function createSecretSealer(
  deps: PingTokenDeps & { readonly definitions: DefinitionStore; readonly marks: Pick<MarkStore, "find" | "keep" | "replace"> },
): Service {
  const { definitions, marks, sealing, log } = deps;

  async function sealAll(kind: DefinitionKind): Promise<number> {
    let sealed = 0;
    for (let last = 0; ; ) {
      const rows = await definitions.after(kind, last, pageSize);
      for (const row of rows) {
        const definition = JSON.stringify(sealedOf(kind, row, sealing));
        if (definition !== row.definition && (await definitions.replace(kind, row, definition))) sealed += 1;
      }
      if (rows.length < pageSize) return sealed;
      last = rows.at(-1)?.id ?? last;
    }
  }

  async function sealOnce(): Promise<void> {
    if ((await marks.find(mark)) !== undefined) return;
    let sealed = 0;
    for (const kind of kinds) sealed += await sealAll(kind);
    await marks.replace(mark, "1");
    if (sealed > 0) log.info({ sealed }, "encrypted secrets that were stored in plain text; older backups still contain them");
  }

  async function turn(): Promise<number> {
    await sealOnce();
    return (await hashPingTokens(deps)) > 0 ? shortRestMs : restMs;
  }

  return loop("sealing of stored secrets", turn, (error) => {
    log.error({ err: error }, "encrypting plain-text secrets failed; retrying");
    return shortRestMs;
  });
}

/** It was parsed with its schema when it was written. */
function sealedOf(kind: DefinitionKind, { accountId, uuid, name, definition }: DefinitionRow, sealing: Sealing): unknown {
  const owner = { kind, accountId, row: uuid };
  if (kind !== "variable") return sealedWhereOpenIn(JSON.parse(definition) as object, requestFields[kind], sealing, owner);
  const variable = JSON.parse(definition) as StoredAccountVariable;
  const isOpen = variable.locked && !variable.secret && !isSealed(variable.value);
  return isOpen ? { ...variable, value: sealing.seal(variable.value, variablePlace(accountId, name ?? "")) } : variable;
}

const requestFields = { check: "request", "check-group": "apiCheckDefaults" } as const;
