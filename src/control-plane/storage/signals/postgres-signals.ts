import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { sleep } from "#daemon/sleep.ts";
import { connectionConfig } from "../dialects/postgres.ts";
import type { Tables } from "../schema.ts";
import type { Signal, Signals } from "./signals.ts";

const channel = "outpost";
/** A notification holds 8,000 bytes. */
const numbersOfOne = 400;
const reconnectMs = 1_000;

/**
 * Joins this process's signals with those of others by LISTEN and NOTIFY, on a connection of its own that is made again when lost.
 * Notifications are a hint and may get lost; whoever waits also looks by himself now and then.
 *
 * @returns the end of it; resolves when nothing is left running
 */
export async function joinPostgresSignals(databaseUrl: string, db: Kysely<Tables>, signals: Signals): Promise<() => Promise<void>> {
  const origin = randomUUID();
  const stopping = new AbortController();
  signals.forward = (signal) => {
    for (const part of parts(signal)) {
      const payload = JSON.stringify({ origin, ...part });
      sql`select pg_notify(${channel}, ${payload})`.execute(db).catch(() => undefined);
    }
  };
  const { promise: listening, resolve: onListening } = Promise.withResolvers<void>();
  const running = keepListening();
  await listening;
  return async () => {
    stopping.abort();
    await running;
  };

  async function keepListening(): Promise<void> {
    for (let first = true; !stopping.signal.aborted; first = false) {
      await listenOnce(
        databaseUrl,
        stopping.signal,
        (text) => receive(signals, origin, text),
        async () => {
          onListening();
          if (!first) await catchUp(db, signals);
        },
      ).catch(() => undefined);
      onListening();
      await sleep(reconnectMs, stopping.signal);
    }
  }
}

/** Resolves when the connection is gone or the signal aborts. */
async function listenOnce(
  databaseUrl: string,
  signal: AbortSignal,
  receiveText: (text: string) => void,
  onReady: () => Promise<void>,
): Promise<void> {
  const client = new pg.Client(connectionConfig(databaseUrl));
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  client.on("error", () => end());
  client.on("end", () => end());
  client.on("notification", ({ payload }) => receiveText(payload ?? ""));
  signal.addEventListener("abort", () => end(), { once: true });
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
    await onReady();
    await over;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** What may have been missed while nobody listened. */
async function catchUp(db: Kysely<Tables>, signals: Signals): Promise<void> {
  const rows = await db.selectFrom("jobs").select("location_id").distinct().where("agent_session", "is", null).execute();
  signals.receive({ kind: "schedule" });
  signals.receive({ kind: "alerts" });
  if (rows.length > 0) signals.receive({ kind: "jobs", numbers: rows.map((row) => row.location_id) });
}

function receive(signals: Signals, origin: string, text: string): void {
  const { origin: sender, ...signal } = JSON.parse(text) as Signal & { origin: string };
  if (sender !== origin) signals.receive(signal);
}

function parts(signal: Signal): readonly Signal[] {
  if (!("numbers" in signal)) return [signal];
  const all: Signal[] = [];
  for (let from = 0; from < signal.numbers.length; from += numbersOfOne) {
    all.push({ kind: signal.kind, numbers: signal.numbers.slice(from, from + numbersOfOne) });
  }
  return all;
}
