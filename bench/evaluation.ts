import { setTimeout as pause } from "node:timers/promises";
import type { LeasedJob } from "../src/contract/agent-protocol.ts";
import type { Storage } from "../src/control-plane/storage/storage.ts";
import { maintenanceWindows } from "./support/maintenance-windows.ts";
import { cpuSeconds, table } from "./support/processes.ts";
import { restOf } from "./support/rest.ts";
import { type EngineName, Site } from "./support/site.ts";
import { Uploads } from "./support/uploads.ts";
import { createWebhook, webhookReceiver } from "./support/webhooks.ts";

/**
 * What it costs the control plane to schedule, hand out, store and judge so many checks every minute: three locations, an agent at each
 * that uploads at once. First all pass and nobody is told; then one in twenty fails for good with a reminder each minute, another one
 * fails and passes in turn, 20 webhooks follow them and 50 maintenance windows are there, some of them open. Then what each loop of the
 * alerting takes of this store for a turn.
 *
 *   npm run build && B bench/evaluation.ts [engine, sqlite] [checks, 10000] [seconds, 60]
 */
const engine = (process.argv[2] ?? "sqlite") as EngineName;
const checks = Number(process.argv[3] ?? 10_000);
const seconds = Number(process.argv[4] ?? 60);
const locations = ["north", "south", "west"];
const channels = 20;
const windows = 50;
/** Until what was due before is done. */
const warmUpMs = 20_000;

await using site = await Site.make(engine, checks, { activated: true, locations, change: settingsOf });
await using receiver = await webhookReceiver();
const numbers = new Map(site.checkIds.map((id, number) => [id, number]));
const failing = new Set<number>();
let isCalm = true;
let results = 0;
await measureProcess();
await site.withStorage((storage) => measureLoops(storage));

async function measureProcess(): Promise<void> {
  const { process: controlPlane, url } = await site.start();
  await using _controlPlane = controlPlane;
  const ended = new AbortController();
  const agents = await Promise.all(site.locationKeys.map((key) => Uploads.open(url, key, 2)));
  const working = Promise.all(agents.map((agent) => agent.work(ended.signal, outcome)));
  const calm = await phase(controlPlane.pid, seconds / 2);
  isCalm = false;
  const rest = restOf(url, site.apiKey);
  for (let channel = 0; channel < channels; channel += 1)
    await createWebhook(
      rest,
      receiver.url,
      site.checkIds.filter((_, number) => Math.floor(number / 20) % channels === channel),
    );
  for (const window of maintenanceWindows(windows, Date.now())) await rest("POST", "/v1/maintenance-windows", window);
  const busy = await phase(controlPlane.pid, seconds);
  ended.abort();
  await working;
  for (const agent of agents) await agent.close();
  const head = [`${engine}, ${checks} checks a minute`, "results/s", "alerts/s", "messages/s", "CPU of one core", "per result us", "ratio"];
  const row = (name: string, { perSecond, share }: Awaited<ReturnType<typeof phase>>): readonly string[] => {
    const costOf = (one: typeof calm): number => one.share / (one.perSecond[0] ?? 1);
    const ratio = costOf({ perSecond, share }) / costOf(calm);
    const shares = [`${(100 * share).toFixed(1)} %`, (costOf({ perSecond, share }) * 1e6).toFixed(0), ratio.toFixed(2)];
    return [name, ...perSecond.map((figure) => figure.toFixed(1)), ...shares];
  };
  console.log(`\n${table([head, row("all pass, nobody is told", calm), row("one in ten fails, channels, windows", busy)])}\n`);
}

/** Results, alerts and messages a second, and the share of a core that the process takes. */
async function phase(pid: number, lengthSeconds: number): Promise<{ readonly perSecond: readonly number[]; readonly share: number }> {
  const counts = async (): Promise<readonly number[]> => {
    const [alerts] = await site.ask("select count(*) as alerts from check_alerts");
    return [results, Number(alerts?.["alerts"]), receiver.messages(), cpuSeconds(pid)];
  };
  await pause(warmUpMs);
  const started = performance.now();
  const before = await counts();
  await pause(lengthSeconds * 1_000);
  const after = await counts();
  const tookSeconds = (performance.now() - started) / 1_000;
  const [ofResults = 0, ofAlerts = 0, ofMessages = 0, share = 0] = after.map(
    (count, index) => (count - (before[index] ?? 0)) / tookSeconds,
  );
  return { perSecond: [ofResults, ofAlerts, ofMessages], share };
}

function settingsOf(number: number) {
  return {
    frequency: 1 as const,
    frequencyOffset: 1 + (number % 10),
    tags: [`team-${number % 100}`],
    useGlobalAlertSettings: false,
    alertSettings: {
      escalationType: "RUN_BASED" as const,
      runBasedEscalation: { failedRunThreshold: 1 as const },
      reminders: { amount: 100_000 as const, interval: 1 as const },
    },
  };
}

function outcome({ payload: { checkId } }: LeasedJob) {
  results += 1;
  const at = { startedAt: Date.now() - 20, stoppedAt: Date.now() };
  const number = numbers.get(checkId) ?? 0;
  const [isDown, isFlapping] = [number % 20 === 7, number % 20 === 13];
  if (isCalm || !(isDown || isFlapping)) return at;
  if (isFlapping && failing.delete(number)) return at;
  failing.add(number);
  return { ...at, hasFailures: true, statusCode: 500, errorMessage: "status 500 is not 200" };
}

/** Each loop alone on the store as it is now; how often it turns is its own. */
async function measureLoops({ alertStates, alertDeliveries, silences, heartbeats }: Storage): Promise<void> {
  const turns = 20;
  const loops: readonly (readonly [string, number, () => Promise<unknown>])[] = [
    ["silence watch", 5, () => silences.look(Date.now(), Date.now() - 60_000)],
    ["alert ticks", 1, () => alertStates.tick(Date.now(), 500)],
    [
      "notifier, nothing new",
      0.5,
      async () => [
        await alertDeliveries.expand(Date.now(), { alerts: 500, deliveries: 10_000 }, () => true),
        await alertDeliveries.waiting(0),
      ],
    ],
    ["heartbeat sweeper, no heartbeats", 1, () => heartbeats.sweep(Date.now(), 500)],
  ];
  const rows: (readonly string[])[] = [];
  for (const [name, everySeconds, turn] of loops) {
    const started = performance.now();
    for (let n = 0; n < turns; n += 1) await turn();
    const ms = (performance.now() - started) / turns;
    rows.push([name, ms.toFixed(1), String(everySeconds), `${(ms / everySeconds / 10).toFixed(2)} %`]);
  }
  console.log(`${table([["a turn of", "ms", "every s", "of one core at most"], ...rows])}\n`);
}
