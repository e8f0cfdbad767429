import { setTimeout as pause } from "node:timers/promises";
import { httpServer } from "../test/support/http-servers/http-server.ts";
import { cpuSeconds, percentile, table } from "./support/processes.ts";
import { restOf } from "./support/rest.ts";
import { type EngineName, Site } from "./support/site.ts";
import { startRuns, Uploads } from "./support/uploads.ts";
import { createWebhook, webhookReceiver } from "./support/webhooks.ts";

/**
 * Result stored → webhook received: an agent uploads results at a steady rate, in small batches as agents do. Some checks fail and pass in turn,
 * so that each of their results is an alert. "Stored" is the time of the alert's row, taken before its transaction begins.
 *
 *   npm run build && B bench/alerting.ts [engines, sqlite,postgres] [results/s, 200] [seconds, 15] [checks, 1000]
 */
const engines = (process.argv[2] ?? "sqlite,postgres").split(",") as EngineName[];
const perSecond = Number(process.argv[3] ?? 200);
const seconds = Number(process.argv[4] ?? 15);
const checks = Number(process.argv[5] ?? 1_000);
const turnMs = 50;
/** Neither a minute's budget nor an hour's holds anything back: a storm alone makes a list. */
const budget = { ALERTS_PER_MINUTE: "10000", ALERTS_PER_HOUR: "100000" };

interface Variant {
  readonly name: string;
  /** One check in so many flaps. */
  readonly flapsOneIn: number;
  /** Healthy ones; each follows as many checks. */
  readonly channels: number;
  readonly withHanging: boolean;
}

const oneInTen = { flapsOneIn: 10, channels: 1 };
const variants: readonly Variant[] = [
  { ...oneInTen, name: "one in ten an alert, one channel", withHanging: false },
  { ...oneInTen, name: "the same beside one that hangs", withHanging: true },
  { name: "each an alert, 50 channels", flapsOneIn: 1, channels: 50, withHanging: false },
  { name: "each an alert, one channel", flapsOneIn: 1, channels: 1, withHanging: false },
];
const head = ["p50 ms", "p99 ms", "max ms", "alerts", "messages", "not received", "CPU of one core"];
for (const engine of engines) {
  const rows: (readonly string[])[] = [];
  for (const variant of variants) rows.push(await measured(engine, variant));
  console.log(`\n${table([[`${engine}, stored → received`, ...head], ...rows])}\n`);
}

async function measured(engine: EngineName, { name, flapsOneIn, channels, withHanging }: Variant): Promise<readonly string[]> {
  const total = perSecond * seconds;
  await using site = await Site.make(engine, checks);
  await site.withStorage((storage, _account, all) => startRuns(storage, all, total));
  // Nothing is told of what is not activated; the scheduler leaves them alone all the same, as they have no next time.
  await site.ask("update checks set activated = 1");
  const numbers = new Map(site.checkIds.map((id, number) => [id, number]));
  await using receiver = await webhookReceiver();
  await using hanging = await httpServer(() => undefined);
  const { process: controlPlane, url } = await site.start(budget);
  await using _controlPlane = controlPlane;
  const rest = restOf(url, site.apiKey);
  const flapping = site.checkIds.filter((_, number) => number % flapsOneIn === 0);
  const followed = Array.from({ length: channels }, (_, channel) => flapping.filter((_id, index) => index % channels === channel));
  for (const checkIds of followed) await createWebhook(rest, receiver.url, checkIds);
  if (withHanging) await createWebhook(rest, hanging.url, flapping);
  const uploads = await Uploads.open(url, site.locationKey, 4);
  const jobs = await uploads.leaseJobs(total);
  const failing = new Set<string>();
  const cpu = cpuSeconds(controlPlane.pid);
  const size = Math.round((perSecond * turnMs) / 1_000);
  const started = performance.now();
  const sent: Promise<void>[] = [];
  for (let turn = 0; turn * size < jobs.length; turn += 1) {
    await pause(Math.max(0, started + turn * turnMs - performance.now()));
    sent.push(uploads.upload(jobs.slice(turn * size, (turn + 1) * size), ({ payload: { checkId } }) => outcome(checkId)));
  }
  await Promise.all(sent);
  const used = (cpuSeconds(controlPlane.pid) - cpu) / ((performance.now() - started) / 1_000);
  await pause(3_000);
  await uploads.close();
  const stored = await storedAlerts(site);
  const waits = [...stored].flatMap(([checkId, atMs]) => {
    const received = receiver.at.get(numbers.get(checkId) ?? -1) ?? [];
    return atMs.flatMap((storedMs, index) => (received[index] === undefined ? [] : [received[index] - storedMs]));
  });
  const alerts = [...stored.values()].reduce((sum, { length }) => sum + length, 0);
  const figures = [percentile(waits, 50), percentile(waits, 99), Math.max(...waits), alerts, receiver.messages(), alerts - waits.length];
  return [name, ...figures.map((figure) => figure.toFixed(0)), `${(100 * used).toFixed(0)} %`];

  function outcome(checkId: string) {
    const at = { startedAt: Date.now() - 20, stoppedAt: Date.now() };
    if ((numbers.get(checkId) ?? 1) % flapsOneIn !== 0 || failing.delete(checkId)) return at;
    failing.add(checkId);
    return { ...at, hasFailures: true, statusCode: 500, errorMessage: "status 500 is not 200" };
  }
}

/** When the alerts of each check were stored, the oldest first. */
async function storedAlerts(site: Site): Promise<ReadonlyMap<string, readonly number[]>> {
  const alerts = await site.ask(
    "select uuid, check_alerts.created_at from check_alerts join checks on checks.id = check_id order by check_alerts.id",
  );
  const byCheck = Map.groupBy(alerts, ({ uuid }) => String(uuid));
  return new Map([...byCheck].map(([uuid, ofCheck]) => [uuid, ofCheck.map((alert) => Number(alert["created_at"]))]));
}
