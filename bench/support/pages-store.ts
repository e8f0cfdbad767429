import { setTimeout as pause } from "node:timers/promises";
import { flag } from "../../src/control-plane/storage/stores/results/result-rows.ts";
import { type Rest, restOf } from "./rest.ts";
import { heavyChecks } from "./seeded-results.ts";
import type { EngineName, Site } from "./site.ts";
import { Site as Sites } from "./site.ts";

/*
 * A store as an account has it that people look at every day: checks in groups and with tags, 10 million results, heartbeats, alerts and what
 * was sent of them, agents, incidents, maintenance windows, dashboards, status pages. Filled once; later runs add what happened meanwhile.
 */

const [minuteMs, dayMs] = [60_000, 86_400_000];
/** The first checks, which run every minute everywhere, have results for so long; all others for `daysOfAll`. Lists need one day, and fill sooner. */
const daysOfAll = Number(process.env["BENCH_DAYS"] ?? 6);
const daysOfHeavy = 5 * daysOfAll;
const groups = 50;
const heartbeats = 100;
const services = 20;

export async function pagesSite(folder: string, engine: EngineName, checks: number): Promise<Site> {
  const site = await Sites.keep(folder, engine, checks, { change: (number) => ({ name: nameOf(number), tags: tagsOf(number) }) });
  try {
    await fill(site, checks);
    return site;
  } catch (error) {
    await site[Symbol.asyncDispose]();
    throw error;
  }
}

async function fill(site: Site, checks: number): Promise<void> {
  const [row] = await site.ask("select max(started_at_us) as last from results where check_id = (select min(id) from checks)");
  const filledMs = Math.ceil(Number(row?.["last"] ?? 0) / 1_000 / minuteMs) * minuteMs;
  const toMs = Math.floor(Date.now() / minuteMs) * minuteMs;
  if (filledMs === 0) {
    await site.fill(toMs - daysOfHeavy * dayMs, toMs - daysOfAll * dayMs, heavyChecks);
    await site.fill(toMs - daysOfAll * dayMs, toMs, checks);
    await site.activate();
  } else if (filledMs < toMs) await site.fill(filledMs, toMs, checks);
  await site.withStorage(async ({ analytics }) => {
    while (await analytics.compact(toMs, 250));
  });
  const [others] = await site.ask("select count(*) as count from check_alerts");
  if (Number(others?.["count"]) === 0) await fillOthers(site, toMs);
  await site.ask("delete from check_statuses");
  for (const text of afterResults(toMs)) await site.ask(text);
  await site.ask(`update agent_sessions set last_seen_at = ${Date.now()}`);
}

function nameOf(number: number): string {
  const what = ["checkout", "search", "login", "cart", "invoices", "images", "mail", "reports"][number % 8];
  return `${["Shop", "Bank", "Media", "Intranet"][number % 4]} ${what} ${number}`;
}

function tagsOf(number: number): string[] {
  return [`team-${number % 12}`, `tier-${number % 3}`, ...(number % 5 === 0 ? ["production"] : [])];
}

/** What is no result. The control plane runs meanwhile. */
async function fillOthers(site: Site, nowMs: number): Promise<void> {
  {
    const { process, url } = await site.start();
    await using _process = process;
    await makeDocuments(restOf(url, site.apiKey), nowMs);
    await pause(1_000);
  }
  for (const text of rows(nowMs)) await site.ask(text);
}

async function makeDocuments(rest: Rest, nowMs: number): Promise<void> {
  for (const no of numbers(groups)) await rest("POST", "/v1/check-groups", { name: `Group ${no}`, tags: [`group-${no}`] });
  for (const no of numbers(20)) await rest("POST", "/v1/alert-channels", channel(no));
  for (const no of numbers(heartbeats)) {
    const heartbeat = { period: 5, periodUnit: "minutes", grace: 1, graceUnit: "minutes" };
    await rest("POST", "/v1/checks/heartbeat", { name: `Job ${no}`, tags: ["jobs"], heartbeat });
  }
  await makeDashboards(rest);
  const made: string[] = [];
  for (const no of numbers(services)) {
    made.push(((await rest("POST", "/v1/status-pages/services", { name: `Service ${no}` })) as { id: string }).id);
  }
  const cards = numbers(4).map((no) => ({ name: `Part ${no}`, services: made.slice(5 * no, 5 * no + 5).map((id) => ({ id })) }));
  await rest("POST", "/v1/status-pages", { name: "Bench", url: "bench", cards });
  for (const no of numbers(200)) await rest("POST", "/v1/status-pages/incidents", incident(no, made[no % services] ?? "", nowMs));
  for (const no of numbers(50)) await rest("POST", "/v1/maintenance-windows", maintenance(no, nowMs));
}

function channel(no: number): object {
  return { type: "WEBHOOK", config: { name: `Hook ${no}`, url: `https://hooks.example.com/${no}` } };
}

async function makeDashboards(rest: Rest): Promise<void> {
  const make = (customUrl: string, more: object): Promise<unknown> =>
    rest("POST", "/v1/dashboards", { header: "Bench", customUrl, checksPerPage: 20, sortByStatus: true, showCheckRunLinks: true, ...more });
  await make("bench-plain", { showP95: false, showP99: false, checksPerPage: 15 });
  await make("bench-figures", {});
  await make("bench-expanded", { expandChecks: true, enableIncidents: true });
  await make("bench-tagged", { tags: ["team-3", "tier-1"], useTagsAndOperator: true });
}

function incident(no: number, service: string, nowMs: number): object {
  const update = (status: string, atMs: number) => ({
    description: "Something happens.",
    status,
    publicIncidentUpdateDate: new Date(atMs).toISOString(),
    notifySubscribers: false,
  });
  const startedMs = nowMs - no * 10 * 3_600_000 - 3_600_000;
  const end = no < 3 ? [] : [update("RESOLVED", startedMs + 1_800_000)];
  return {
    name: `Incident ${no}`,
    severity: ["MINOR", "MEDIUM", "MAJOR", "CRITICAL"][no % 4],
    services: [{ id: service, name: "", accountId: "" }],
    incidentUpdates: [update("INVESTIGATING", startedMs), ...end],
  };
}

function maintenance(no: number, nowMs: number): object {
  const startMs = nowMs + (no - 10) * 7_200_000;
  const [startsAt, endsAt] = [startMs, startMs + 3_600_000].map((ms) => new Date(ms).toISOString());
  return { name: `Window ${no}`, tags: [`group-${no}`], startsAt, endsAt, repeatInterval: 1, repeatUnit: no % 2 === 0 ? "WEEK" : "MONTH" };
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

const failing = `(r.flags & ${flag.failures | flag.errors}) > 0`;

/** The newest result of each check as its status; one in forty is degraded. */
export const newestStatuses = `insert into check_statuses (check_id, has_failures, has_errors, is_degraded, longest_run_ms, shortest_run_ms, last_location, last_run_at,
  last_started_us, ssl_days_remaining, created_at, updated_at)
  select c.id, case when ${failing} then 1 else 0 end, 0, case when c.id % 40 = 0 then 1 else 0 end, 900, 20, r.location_id, r.run_at,
  r.started_at_us, null, r.created_at, r.created_at from checks c join results r on r.check_id = c.id and r.type = 0
  and r.started_at_us = (select max(x.started_at_us) from results x where x.check_id = c.id and x.type = 0) on conflict do nothing`;

/** Of each check its newest result, and of each heartbeat its newest ping; one in forty is degraded. Of some checks the sessions of a day. */
const afterResults = (nowMs: number): readonly string[] => [
  `insert into sessions (no, account_id, check_id, run_at, source, location_ids, status, locations, passed, degraded, failed, missed, cancelled,
    retried, stopped_at) select distinct r.id / 16384, c.account_id, c.id, r.run_at, 'SCHEDULER', '[]', 'PASSED', 2, 2, 0, 0, 0, 0, 0, r.run_at
    from results r join checks c on c.id = r.check_id where c.id <= 100 and r.started_at_us >= ${(nowMs - dayMs) * 1_000} and r.type < 2
    on conflict do nothing`,
  newestStatuses,
  `insert into check_statuses (check_id, has_failures, has_errors, is_degraded, longest_run_ms, shortest_run_ms, last_location, last_run_at,
    last_started_us, ssl_days_remaining, created_at, updated_at)
    select check_id, 0, 0, 0, 0, 0, 0, max(at_ms), max(at_ms) * 1000, null, max(at_ms), max(at_ms) from heartbeat_events group by check_id`,
];

/** Written straight into the tables, in SQL that both engines read. */
function rows(nowMs: number): readonly string[] {
  const upTo = (count: number): string =>
    `with recursive n(i) as (select cast(0 as bigint) union all select i + 1 from n where i + 1 < ${count})`;
  const account = "(select min(id) from accounts)";
  const firstGroup = "(select min(id) from documents where kind = 'check-group')";
  const firstChannel = "(select min(id) from documents where kind = 'alert-channel')";
  const text = (prefix: string): string => `'${prefix}' || cast(i as text)`;
  return [
    `update checks set group_id = ${firstGroup} + id % ${groups} where type <> 'HEARTBEAT' and id % 3 > 0`,
    `insert into check_alerts (account_id, check_id, name, alert_type, check_type, run_location, response_time, error, status_code, started_at,
      created_at) ${upTo(50_000)} select ${account}, c.id, c.search_name, case when i % 2 = 0 then 'ALERT_FAILURE' else 'ALERT_RECOVERY' end, c.type,
      'berlin', 120, 'expected 200, was 503', '503', ${nowMs} - i * 50000, ${nowMs} - i * 50000
      from n join checks c on c.id = (i * 7) % 4900 + 1`,
    `insert into alert_notifications (account_id, check_alert_id, channel_id, channel_type, status, config, result, check_result, sent_at)
      select account_id, id, ${firstChannel} + id % 20, 'WEBHOOK', case when id % 30 = 0 then 'FAILURE' else 'SUCCESS' end, '{"name":"Hook"}', 'OK', '{}',
      created_at + 100 from check_alerts`,
    `insert into agent_sessions (token_hash, agent_id, location_id, account_id, key_id, runs_checks, name, version, check_types, runtimes,
      sandbox_level, capabilities, opened_at, last_seen_at, last_executed_at, expires_at, state, outbox_depth, loop_delay_ms)
      ${upTo(12)} select ${text("bench-")} || l.code, ${text("agent-")} || l.code, l.id, l.account_id, 'none', 1, ${text("agent ")}, '1.0.0', '["API"]', '[]', 0,
      '{}', ${nowMs - dayMs}, ${nowMs}, ${nowMs}, ${nowMs + 365 * dayMs}, 'running', 0, 1.5 from n cross join locations l`,
    `insert into queue_samples (location_id, at_ms, queue_size, oldest_seconds) ${upTo(8_640)}
      select l.id, ${nowMs} - i * 10000, i % 40, i % 20 from n cross join locations l where true on conflict do nothing`,
    `insert into heartbeat_events (check_id, at_ms, state, source, user_agent) ${upTo(2_016)}
      select c.id, ${nowMs} - i * 300000, case when (i + c.id) % 50 = 0 then 0 else 2 end, 'HTTPS GET', 'curl/8' from n join checks c on c.type = 'HEARTBEAT'`,
    `insert into error_groups (check_id, hash, account_id, cleaned_message, raw_message, first_seen, last_seen, archived_at, archived_forever)
      ${upTo(5)} select c.id, ${text("h")}, ${account}, ${text("expected 200, was 503 at ")}, 'x', ${nowMs - dayMs}, ${nowMs}, null, 0 from n cross join checks c`,
    `insert into users (uuid, email, email_key, name, created_at) ${upTo(100)}
      select ${text("00000000-0000-4000-8000-00000000000")}, ${text("user")} || '@example.com', ${text("user")} || '@example.com', ${text("User ")}, ${nowMs} from n`,
    `insert into memberships (account_id, user_id, role, created_at) select ${account}, id, 'READ_WRITE', ${nowMs} from users`,
    `insert into results (check_id, started_at_us, id, type, location_id, status, flags, rt_us, dur_us, run_at, created_at, queued_ms, loop_us, digest)
      ${upTo(20_000)} select i % 5000 + 1, (${nowMs} - i * 4000) * 1000, 1000000 + i, 2, (select max(id) from locations), 0, 0, 0, 0,
      ${nowMs} - i * 4000, ${nowMs} - i * 4000, 0, 0, 0 from n`,
  ];
}
