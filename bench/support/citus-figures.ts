import { readFileSync } from "node:fs";
import pg from "pg";
import type { TestPostgres } from "../../test/support/postgres.ts";

/** Seconds of processor that a server has taken, with all that it started: those that ended are counted as its own. */
export function serverSeconds(server: Pick<TestPostgres, "pid"> | undefined): number {
  const pid = server?.pid();
  if (pid === undefined) return 0;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return [String(pid), ...children].reduce((sum, one) => sum + secondsOf(one), 0);
}

const ticksPerSecond = 100;

/** utime, stime, and those of children that were waited for. */
function secondsOf(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond;
}

/** What results and their details take in all their days, indexes with them. */
export async function storedBytes(databaseUrl: string, size: "pg_total_relation_size" | "citus_total_relation_size"): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>(
    `select sum(${size}(inhrelid)) as bytes from pg_inherits where inhparent in ('results'::regclass, 'result_details'::regclass)`,
  );
  await client.end();
  return Number(rows[0]?.bytes ?? 0);
}

/** What record 66 weighs: rows of one batch in one transaction over both workers, and cut by worker into one transaction each. */
export async function measureCommits(databaseUrl: string, batch: number, t0: number): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ id: number; worker: string }>(
    `select c.id::int4 as id, p.nodename || p.nodeport as worker from generate_series(1, ${batch}) as c(id)
     join pg_dist_shard_placement p on p.shardid = get_shard_id_for_distribution_column('results', c.id)`,
  );
  const all = rows.map(({ id }) => id);
  const cut = [...Map.groupBy(rows, ({ worker }) => worker).values()].map((group) => group.map(({ id }) => id));
  let no = 0;
  const write = async (checkIds: readonly number[]): Promise<void> => {
    const starts = checkIds.map(() => t0 * 1_000 + (no += 1));
    await client.query("begin");
    await client.query("insert into marks (name, value) values ('bench', $1) on conflict (name) do update set value = excluded.value", [
      no,
    ]);
    await client.query(
      `insert into results (check_id, started_at_us, id, run_at, created_at, digest, location_id, rt_us, dur_us, queued_ms, loop_us, type, status, flags)
       select c, s, s, 1, 1, 1, 1, 1, 1, 1, 1, 0, 200, 0 from unnest($1::int8[], $2::int8[]) as u(c, s)`,
      [checkIds, starts],
    );
    await client.query("commit");
  };
  const tookMs: [whole: number, byWorker: number] = [0, 0];
  const rounds = 100;
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, parts] of [[all], cut].entries()) {
      const from = performance.now();
      for (const part of parts) await write(part);
      tookMs[index as 0 | 1] += performance.now() - from;
    }
  }
  await client.end();
  const [whole, byWorker] = tookMs.map((ms) => (ms / rounds).toFixed(1));
  return `citus, ${batch} rows: one transaction ${whole} ms, one for each of ${cut.length} workers ${byWorker} ms`;
}
