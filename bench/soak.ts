import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { noFaketime } from "../test/support/faketime.ts";
import { afflict, plan } from "./soak/faults.ts";
import { Installation } from "./soak/installation.ts";
import { endChecks, judge, pending } from "./soak/judge.ts";
import { Memory } from "./soak/memory.ts";
import { table } from "./support/processes.ts";

/**
 * Random faults under load: 100 checks a second on a whole installation whose agents, control planes, store, networks, clocks and disks fail
 * by a plan that follows from the seed. Then REST alone is asked what became of each slot, and each alert (test/faults/slot-oracle.ts).
 * Ends with 1 where anything is wrong. Needs root, for its own mounts.
 *
 *   npm run build && B bench/soak.ts [sqlite | postgres] [minutes, 30] [seed, 1] [checks, 1000]
 */
if (noFaketime !== null) throw new Error(noFaketime);
if (process.env["SOAK_MOUNTS"] === undefined) {
  // What it mounts goes with it, however it ends.
  const again = ["--mount", "--propagation", "private", process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.exit(spawnSync("unshare", again, { stdio: "inherit", env: { ...process.env, SOAK_MOUNTS: "own" } }).status ?? 1);
}
const [engine = "sqlite", ...numbers] = process.argv.slice(2);
if (engine !== "sqlite" && engine !== "postgres") throw new Error(`sqlite or postgres, not ${engine}`);
const [minutes = 30, seed = 1, checks = 1_000] = numbers.map(Number);
const lookMs = 5_000;

const folder = mkdtempSync(join(tmpdir(), "outpost-soak-"));
chmodSync(folder, 0o755); // PostgreSQL runs as another user
console.log(`${engine}, ${minutes} minutes, seed ${seed}, ${checks} checks; logs in ${folder}`);
await using site = await Installation.start(engine, folder, checks);
console.log("it runs");

/** The same faults in each third of the time: thirds whose faults differ cannot be compared by what processes hold. */
function inThirds(of: number, durationMs: number): ReturnType<typeof plan> {
  const thirdMs = durationMs / 3;
  const third = plan(of, thirdMs);
  return [0, 1, 2].flatMap((n) => third.map((fault) => ({ ...fault, atMs: fault.atMs + n * thirdMs })));
}

const memory = new Memory();
const shown = new Set<string>();
let [looks, unanswered] = [0, 0];
const looking = setInterval(() => void look(), lookMs);
const planned = inThirds(seed, minutes * 60_000);
await Promise.all([afflict(site, planned, console.log), pause(minutes * 60_000)]);
clearInterval(looking);
const thirds = memory.thirds();

console.log("all is healed");
await Promise.all([...site.controlPlanes, ...site.agents].map((living) => living.ready(120_000)));
await pause(120_000); // agents deliver what they hold; and no slot of a clock that ran ahead is still to come
const lives = await endChecks(site);
await pause(90_000); // what is queued ends, as the check left its schedule or nobody took it
for (let left = 60; left > 0; left -= 1) {
  const still = await pending(site);
  if (still === null) break;
  console.log(still);
  await pause(15_000);
}
const { problems, counts } = await judge(site, lives, shown, folder);

console.log(
  `\n${table([["what", "how many"], ...[...counts].toSorted(([a], [b]) => a.localeCompare(b)).map(([words, count]) => [words, String(count)])])}\n`,
);
const happened = Map.groupBy(planned, ({ name }) => name);
console.log(`${table([["fault", "times"], ...[...happened].map(([name, of]) => [name, String(of.length)])])}\n`);
console.log(
  `${table([["resident MB, median of", "first third", "second", "last"], ...[...thirds].map(([role, of]) => [role, ...of.map((one) => one.toFixed(1))])])}\n`,
);
const { received, refused, messages } = site.receiver.counts();
console.log(
  `acknowledged attempts seen on the wire: ${site.acknowledged.count}; results seen in lists meanwhile: ${shown.size} (${looks} looks, ${unanswered} without an answer); messages: ${messages}, received ${received} times, refused ${refused} times`,
);
const grown = [...thirds].filter(([, [, second = 0, last = 0]]) => last > 1.05 * second).map(([role]) => `${role} grew`);
const wrong = [...problems, ...grown];
for (const problem of wrong.slice(0, 100)) console.log(problem);
console.log(`${wrong.length} problems`);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** Memory, and what people are shown meanwhile: it must be there in the end. What stands in for an attempt whose agent is lost is replaced when it comes. */
async function look(): Promise<void> {
  memory.look(site);
  looks += 1;
  const id = site.checkIds[Math.floor(Math.random() * site.checkIds.length)];
  try {
    const page = (await site.rest()("GET", `/v2/check-results/${id}?resultType=FINAL&limit=100&fields=id`)) as {
      entries: { id: string }[];
    };
    for (const entry of page.entries) shown.add(entry.id);
  } catch {
    unanswered += 1;
  }
}
