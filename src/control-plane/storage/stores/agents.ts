import { type Selectable, sql } from "kysely";
import { AppError } from "#domain/app-error.ts";
import type { Engine } from "../engine.ts";
import { GroupCommit } from "../group-commit.ts";
import type { Tables, Trx } from "../schema.ts";
import type { AgentContact, AgentSessionRow, AgentStore } from "../storage.ts";

/** Ended sessions are kept so long for "last seen". */
const keepEndedMs = 24 * 3_600_000;
const contactsOfOneCommit = 500;
/** Of one location, whose keys nobody can use to fill the table. */
const maxSessions = 1_000;
const maxSessionBytes = 4 * 1_048_576;

interface Contact extends AgentContact {
  readonly id: number;
}

export function agentStore(engine: Engine): AgentStore {
  const { reads } = engine;
  const contacts = new GroupCommit<Contact, void>(
    1,
    contactsOfOneCommit,
    () => 1,
    (batch) => writeContacts(engine, batch),
  );
  return {
    open: (session) => openSession(engine, session),
    async byTokenHash(hash, nowMs) {
      const row = await reads
        .selectFrom("agent_sessions")
        .selectAll()
        .where("token_hash", "=", hash)
        .where("expires_at", ">", engine.clock.waitMs(nowMs))
        .executeTakeFirst();
      return row && agentSessionOf(engine, row);
    },
    seen: (id, told) => contacts.add({ id, ...told }),
    async ofLocations(locationIds, sinceMs) {
      const rows = await reads
        .selectFrom("agent_sessions")
        .selectAll()
        .where(engine.isAny("location_id", locationIds))
        .where("runs_checks", "=", 1)
        .where("last_seen_at", ">=", sinceMs)
        .orderBy("last_seen_at", "desc")
        .orderBy("id", "desc")
        .execute();
      return rows.map((row) => agentSessionOf(engine, row));
    },
  };
}

/** Long ended sessions of the location go on this occasion. */
function openSession(engine: Engine, session: Parameters<AgentStore["open"]>[0]): Promise<AgentSessionRow> {
  const waitMs = engine.clock.waitMs(session.nowMs);
  return engine.transaction(async (trx) => {
    await refuseTwin(engine, trx, session);
    await trx
      .deleteFrom("agent_sessions")
      .where("location_id", "=", session.locationId)
      .where("last_seen_at", "<", session.nowMs - keepEndedMs)
      .where("expires_at", "<", waitMs)
      .execute();
    await makeRoom(engine, trx, session.locationId, waitMs);
    if (runsChecks(session)) {
      await trx.updateTable("locations").set({ last_seen_at: session.nowMs }).where("id", "=", session.locationId).execute();
    }
    const row = await trx
      .insertInto("agent_sessions")
      .values({
        token_hash: session.tokenHash,
        agent_id: session.agentId,
        network: session.network ?? null,
        proof_hash: session.proofHash ?? null,
        location_id: session.locationId,
        account_id: session.accountId,
        key_id: session.keyId,
        runs_checks: Number(runsChecks(session)),
        name: session.name,
        version: session.version,
        check_types: JSON.stringify(session.checkTypes),
        // Without a sandbox no script runs, whatever runtimes there are: a check must not pass without its script.
        runtimes: JSON.stringify(session.sandboxLevel > 0 ? session.runtimes : []),
        sandbox_level: session.sandboxLevel,
        capabilities: JSON.stringify(session.capabilities),
        opened_at: session.nowMs,
        last_seen_at: session.nowMs,
        last_executed_at: null,
        expires_at: waitMs + session.expiresAtMs - session.nowMs,
        state: "running",
        outbox_depth: 0,
        loop_delay_ms: 0,
        clock_ahead_ms: null,
        platform: session.platform === undefined ? null : JSON.stringify(session.platform),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return agentSessionOf(engine, row);
  });
}

/**
 * The location's row is locked: of two at once the second meets the session of the first. A session without a proof is taken for nobody's, not even for
 * that of another without one.
 */
async function refuseTwin(engine: Engine, trx: Trx, session: Parameters<AgentStore["open"]>[0]): Promise<void> {
  const { locationId, agentId, aliveSinceMs, proofHash = null } = session;
  if (aliveSinceMs === undefined) return;
  await engine.lockRows(trx.selectFrom("locations").select("id").where("id", "=", locationId)).execute();
  const twin = await trx
    .selectFrom("agent_sessions")
    .select("proof_hash")
    .where("location_id", "=", locationId)
    .where("last_seen_at", ">=", aliveSinceMs)
    .where("agent_id", "=", agentId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (twin === undefined || (proofHash !== null && twin.proof_hash === proofHash)) return;
  throw new AppError("conflict", "An agent with this id is running, and this is another one; restart it: it gets an id of its own");
}

/**
 * Where a location has as many sessions as it may, or as many bytes of them: the ones that ended go first, then those without a lease, in each
 * case the ones that were silent longest.
 */
async function makeRoom(engine: Engine, trx: Trx, locationId: number, waitMs: number): Promise<void> {
  const bytes = sql<number>`length(name) + length(check_types) + length(runtimes) + length(capabilities) + coalesce(length(platform), 0)`;
  const { count, size } = await trx
    .selectFrom("agent_sessions")
    .select(({ fn }) => [fn.countAll<number>().as("count"), fn.sum<number | null>(bytes).as("size")])
    .where("location_id", "=", locationId)
    .executeTakeFirstOrThrow();
  if (Number(count) < maxSessions && Number(size ?? 0) < maxSessionBytes) return;
  const isLeased = sql<number>`exists (select 1 from jobs where jobs.agent_session = agent_sessions.id and jobs.leased_until > ${waitMs})`;
  const rows = await trx
    .selectFrom("agent_sessions")
    .select(["id", bytes.as("size")])
    .where("location_id", "=", locationId)
    .orderBy(sql`case when expires_at <= ${waitMs} then 0 when not ${isLeased} then 1 else 2 end`, "desc")
    .orderBy("last_seen_at", "desc")
    .orderBy("id", "desc")
    .execute();
  let keptBytes = 0;
  const gone = rows.filter((row, place) => {
    keptBytes += Number(row.size);
    return place >= maxSessions - 1 || keptBytes > maxSessionBytes;
  });
  const ids = gone.map(({ id }) => id);
  if (ids.length > 0) await trx.deleteFrom("agent_sessions").where(engine.isAny("id", ids)).execute();
}

/** Whether it is an agent: `outpost doctor` opens a session to see that it can, and runs nothing. */
function runsChecks({ checkTypes, capabilities }: Pick<Parameters<AgentStore["open"]>[0], "checkTypes" | "capabilities">): boolean {
  return checkTypes.length > 0 && capabilities["doctor"] !== true;
}

/** Agents' heartbeats of one moment, the last one of each. */
async function writeContacts(engine: Engine, batch: readonly Contact[]): Promise<readonly void[]> {
  const newest = new Map(batch.map((contact) => [contact.id, contact]));
  const told = [...newest.values()].toSorted((a, b) => a.id - b.id);
  const figures = { outbox_depth: "int8", loop_delay_ms: "float8", clock_ahead_ms: "float8" } as const;
  const columns = { id: "int8", last_seen_at: "int8", state: "text", ...figures } as const;
  await engine.transaction(async (trx) => {
    await engine.updateMany(
      trx,
      "agent_sessions",
      1,
      columns,
      told.map((one) => [one.id, one.nowMs, one.state, one.outboxDepth, one.eventLoopDelayMs, one.clockAheadMs]),
    );
    const sessions = await trx
      .selectFrom("agent_sessions")
      .select("location_id")
      .distinct()
      .where("runs_checks", "=", 1)
      .where(
        engine.isAny(
          "id",
          told.map((one) => one.id),
        ),
      )
      .orderBy("location_id")
      .execute();
    const nowMs = Math.max(...told.map((one) => one.nowMs));
    await engine.updateMany(
      trx,
      "locations",
      1,
      { id: "int8", last_seen_at: "int8" },
      sessions.map((row) => [row.location_id, nowMs]),
    );
  });
  return batch.map(() => undefined);
}

function agentSessionOf({ clock }: Engine, row: Selectable<Tables["agent_sessions"]>): AgentSessionRow {
  return {
    id: row.id,
    agentId: row.agent_id,
    locationId: row.location_id,
    accountId: row.account_id,
    keyId: row.key_id,
    name: row.name,
    version: row.version,
    checkTypes: JSON.parse(row.check_types) as readonly string[],
    runtimes: JSON.parse(row.runtimes) as readonly string[],
    openedAtMs: row.opened_at,
    lastSeenAtMs: row.last_seen_at,
    lastExecutedAtMs: row.last_executed_at,
    expiresAtMs: clock.shownMs(row.expires_at),
    state: row.state,
    sandboxLevel: row.sandbox_level,
    capabilities: JSON.parse(row.capabilities) as AgentSessionRow["capabilities"],
    outboxDepth: row.outbox_depth,
    eventLoopDelayMs: row.loop_delay_ms,
    clockAheadMs: row.clock_ahead_ms,
    platform: row.platform === null ? null : (JSON.parse(row.platform) as AgentSessionRow["platform"]),
  };
}
