import type { Logger } from "#daemon/logger.ts";
import { hasCode } from "#domain/app-error.ts";
import type { Sealing } from "../keys/sealing.ts";
import {
  createPingTokenHashes,
  heartbeatOf,
  isOpenPingToken,
  openedPingToken,
  type PingTokenHashes,
  sealedHeartbeat,
} from "../secrets/ping-tokens.ts";
import type { CheckDefinition, DefinitionStore, MarkStore, TokenRow } from "../storage/storage.ts";

const mark = "open ping tokens seen";
const pageSize = 100;
/** A process of the release before finds heartbeats by open tokens alone: so long an upgrade may roll. */
const rollingMs = 15 * 60_000;

export interface PingTokenDeps {
  readonly definitions: Pick<DefinitionStore, "tokensWithout" | "replace" | "replaceToken">;
  readonly marks: Pick<MarkStore, "keep">;
  readonly sealing: Sealing;
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
  /** Null for SQLite, whose one process is this one. */
  readonly databaseUrl: unknown;
  readonly log: Logger;
}

/**
 * Hashes tokens of pings that lie open in rows of an earlier release, and seals them in their checks. After a change of the pepper hashes the sealed ones
 * anew, so that their addresses work again.
 *
 * @returns how many are left for the next time
 */
export async function hashPingTokens(deps: PingTokenDeps): Promise<number> {
  const { definitions, log } = deps;
  const hashes = createPingTokenHashes(deps.hashOf);
  const counts = { hashed: 0, later: 0, lost: 0 };
  let rolling: Promise<boolean> | undefined;
  for (let last = 0; ; ) {
    const rows = await definitions.tokensWithout(hashes.prefix, last, pageSize);
    for (const row of rows) {
      const waits = isOpenPingToken(row.token) && (await (rolling ??= isRolling(deps)));
      counts[waits ? "later" : await hashRow(deps, row, hashes)] += 1;
    }
    if (rows.length < pageSize) break;
    last = rows.at(-1)?.id ?? last;
  }
  if (counts.hashed > 0) log.info({ hashed: counts.hashed }, "hashed ping tokens with the current pepper");
  if (counts.lost > 0) log.warn({ lost: counts.lost }, "some ping tokens are lost or not unique; create new ones for these heartbeats");
  return counts.later;
}

async function hashRow(
  { definitions, sealing }: PingTokenDeps,
  row: TokenRow,
  hashes: PingTokenHashes,
): Promise<"hashed" | "later" | "lost"> {
  const owner = { kind: "check", accountId: row.accountId, row: row.uuid };
  const stored = JSON.parse(row.definition) as CheckDefinition;
  const token = isOpenPingToken(row.token) ? row.token : openedPingToken(stored, sealing, owner);
  if (token === null) return "lost";
  // The seal first: what is hashed cannot be read again. Where somebody wrote the check meanwhile, its token may be another.
  const definition = JSON.stringify({ ...stored, heartbeat: sealedHeartbeat(heartbeatOf(stored) ?? {}, stored, sealing, owner) });
  if (definition !== row.definition && !(await definitions.replace("check", row, definition))) return "later";
  try {
    await definitions.replaceToken(row, hashes.of(token).hash);
    return "hashed";
  } catch (error) {
    // Two processes of an upgrade took it for two heartbeats: pings go to the one that is hashed.
    if (hasCode(error, "conflict")) return "lost";
    throw error;
  }
}

async function isRolling({ databaseUrl, marks, nowMs }: PingTokenDeps): Promise<boolean> {
  if (databaseUrl === null) return false;
  const sinceMs = Number(await marks.keep(mark, String(nowMs())));
  return nowMs() - sinceMs < rollingMs;
}
