import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { openStorage } from "../src/control-plane/storage/open-storage.ts";
import { freePort } from "../test/support/free-ports.ts";
import { httpServer } from "../test/support/http-servers/http-server.ts";
import { setUpControlPlane } from "./support/control-plane.ts";
import { cpuSeconds, outpost, percentile, table, untilOk } from "./support/processes.ts";
import { startRuns, Uploads } from "./support/uploads.ts";

/**
 * Result stored → webhook received: an agent uploads results at a steady rate, in small batches as agents do; one check in ten fails and
 * passes in turn, so that each of its results is an alert. First with one healthy channel, then with one beside it that never answers.
 * "Stored" is the time of the alert's row, taken before its transaction begins.
 *
 *   node --conditions=source bench/alerting.ts [results/s, 200] [seconds, 30] [checks, 1000]
 */
const perSecond = Number(process.argv[2] ?? 200);
const seconds = Number(process.argv[3] ?? 30);
const checks = Number(process.argv[4] ?? 1_000);
const turnMs = 50;
/** Names end with the number of their check. */
const sentence = /bench (\d+) has (?:failed|recovered)/g;

const rows = [await measured("one healthy channel", false), await measured("beside one that hangs", true)];
const head = ["stored → received", "p50 ms", "p99 ms", "max ms", "alerts", "messages", "not received", "CPU of one core"];
console.log(`\n${table([head, ...rows])}\n`);

async function measured(name: string, withHanging: boolean): Promise<readonly string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "outpost-bench-"));
  const total = perSecond * seconds;
  const { apiKey, locationKey, checkIds } = await setUpControlPlane(dataDir, { checks, url: "http://127.0.0.1:9/", activated: false });
  const numbers = new Map(checkIds.map((id, number) => [id, number]));
  await queueRuns(dataDir, total);
  await using receiver = await webhookReceiver();
  await using hanging = await httpServer(() => undefined);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const budget = { ALERTS_PER_MINUTE: "10000", ALERTS_PER_HOUR: "100000" };
  await using controlPlane = outpost("control-plane", {
    PORT: `${port}`,
    DATA_DIR: dataDir,
    LOG_LEVEL: "WARN",
    LEASE_SECONDS: "600",
    ...budget,
  });
  await untilOk(`${url}/-/readiness`);
  const flapping = checkIds.filter((_, number) => number % 10 === 0);
  for (const target of [receiver.url, ...(withHanging ? [hanging.url] : [])]) await createChannel(url, apiKey, target, flapping);
  const uploads = await Uploads.open(url, locationKey, 4);
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
  const stored = storedAlerts(dataDir);
  await controlPlane[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true });
  const waits = [...stored].flatMap(([checkId, atMs]) => {
    const received = receiver.at.get(numbers.get(checkId) ?? -1) ?? [];
    return atMs.flatMap((storedMs, index) => (received[index] === undefined ? [] : [received[index] - storedMs]));
  });
  const alerts = [...stored.values()].reduce((sum, { length }) => sum + length, 0);
  const figures = [percentile(waits, 50), percentile(waits, 99), Math.max(...waits), alerts, receiver.messages(), alerts - waits.length];
  return [name, ...figures.map((figure) => figure.toFixed(0)), `${(100 * used).toFixed(0)} %`];

  function outcome(checkId: string) {
    const at = { startedAt: Date.now() - 20, stoppedAt: Date.now() };
    if ((numbers.get(checkId) ?? 1) % 10 !== 0 || failing.delete(checkId)) return at;
    failing.add(checkId);
    return { ...at, hasFailures: true, statusCode: 500, errorMessage: "status 500 is not 200" };
  }
}

async function queueRuns(dataDir: string, total: number): Promise<void> {
  const storage = await openStorage({ dataDir, nowMs: Date.now() });
  const [account] = await storage.accounts.list();
  if (account === undefined) throw new Error("no account");
  await startRuns(storage, (await storage.checks.list(account.id, { page: 1, limit: checks })).items, total);
  await storage.close();
  // Nothing is told of what is not activated; the scheduler leaves them alone all the same, as they have no next time.
  const database = new DatabaseSync(join(dataDir, "outpost.db"));
  database.exec("update checks set activated = 1");
  database.close();
}

/** Answers at once, and remembers when each check was told of; a list tells of several. */
async function webhookReceiver() {
  const at = new Map<number, number[]>();
  let messages = 0;
  const server = await httpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const nowMs = Date.now();
      messages += 1;
      for (const [, number] of Buffer.concat(chunks).toString().matchAll(sentence)) {
        const times = at.get(Number(number)) ?? [];
        at.set(Number(number), [...times, nowMs]);
      }
      response.end("ok");
    });
  });
  return { ...server, at, messages: () => messages };
}

/** Its body is the title alone, and with several alerts their list. */
async function createChannel(url: string, apiKey: string, target: string, checkIds: readonly string[]): Promise<void> {
  const template = '{{#contains ALERT_TITLE "checks:"}}{{CHECK_ERROR_MESSAGE}}{{else}}{{ALERT_TITLE}}{{/contains}}';
  const answer = await fetch(`${url}/v1/alert-channels`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      type: "WEBHOOK",
      config: { name: "bench", url: target, template },
      subscriptions: checkIds.map((checkId) => ({ checkId, activated: true })),
    }),
  });
  if (!answer.ok) throw new Error(`creating a channel: ${answer.status} ${await answer.text()}`);
}

/** When the alerts of each check were stored, the oldest first. */
function storedAlerts(dataDir: string): ReadonlyMap<string, readonly number[]> {
  const database = new DatabaseSync(join(dataDir, "outpost.db"), { readOnly: true });
  const alerts = database
    .prepare("select uuid, check_alerts.created_at from check_alerts join checks on checks.id = check_id order by check_alerts.id")
    .all();
  database.close();
  const byCheck = Map.groupBy(alerts, ({ uuid }) => String(uuid));
  return new Map([...byCheck].map(([uuid, ofCheck]) => [uuid, ofCheck.map((alert) => Number(alert["created_at"]))]));
}
