import { MaintenanceWindowCreate } from "../src/contract/maintenance-windows.ts";
import { planFiring } from "../src/control-plane/scheduler/plan-firing.ts";
import type { Storage } from "../src/control-plane/storage/storage.ts";
import { maintenanceWindows } from "./support/maintenance-windows.ts";
import { percentile, table } from "./support/processes.ts";
import { type EngineName, Site } from "./support/site.ts";

/**
 * What the look-up of maintenance windows costs the scheduler: due checks are claimed in the store, many at once as after a stop and one
 * as mostly, without windows, with 50 of which none is open, and with 50 of which five pause a twentieth of the checks. All take turns on
 * one store, whose clock goes on by a period each time.
 *
 *   B bench/maintenance.ts [engines, sqlite,postgres] [checks, 5000] [rounds, 6]
 */
const engines = (process.argv[2] ?? "sqlite,postgres").split(",") as EngineName[];
const checks = Number(process.argv[3] ?? 5_000);
const rounds = Number(process.argv[4] ?? 6);
const count = 50;
const periodMs = 10_000;
const kind = "maintenance-window";
/** Claimed in one transaction, and how often in a turn. */
const batches = [
  { size: 500, calls: 6 },
  { size: 1, calls: 200 },
];

const variants: readonly (readonly [string, (nowMs: number) => ReturnType<typeof maintenanceWindows>])[] = [
  ["no window", () => []],
  ["50 windows, none open", (nowMs) => maintenanceWindows(count, nowMs, false)],
  ["50 windows, five pause", (nowMs) => maintenanceWindows(count, nowMs)],
];
for (const engine of engines) await measured(engine);

async function measured(engine: EngineName): Promise<void> {
  await using site = await Site.make(engine, checks, {
    activated: true,
    change: (number) => ({ tags: [`team-${number % 100}`] }),
  });
  const times = new Map(variants.map(([name]) => [name, batches.map(() => [] as number[])]));
  await site.withStorage(async (storage, { id }) => {
    let nowMs = Date.now();
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, windowsAt] of variants) {
        nowMs += periodMs;
        const remove = await withWindows(storage, id, windowsAt(nowMs), nowMs);
        for (const [index, { size, calls }] of batches.entries())
          for (let call = 0; call < calls; call += 1) times.get(name)?.[index]?.push(await timed(() => fire(storage, nowMs, size)));
        await fireRest(storage, nowMs);
        await remove();
      }
    }
  });
  const medians = [...times].map(([name, ofBatches]) => ({ name, ms: ofBatches.map((all) => percentile(all, 50)) }));
  const [none] = medians;
  const head = [engine, ...batches.flatMap(({ size }) => [`${size} due, ms`, "ratio"])];
  const rows = medians.map(({ name, ms }) => [
    name,
    ...ms.flatMap((of, index) => [of.toFixed(2), (of / (none?.ms[index] ?? 1)).toFixed(2)]),
  ]);
  console.log(`\n${table([head, ...rows])}\n`);
}

/** @returns what takes them away again */
async function withWindows(
  { documents }: Storage,
  accountId: number,
  windows: ReturnType<typeof maintenanceWindows>,
  nowMs: number,
): Promise<() => Promise<void>> {
  const ids: number[] = [];
  for (const window of windows) {
    const definition = { ...MaintenanceWindowCreate.parse(window), plan: 0, plannedAtMs: nowMs };
    ids.push((await documents.create({ accountId, kind, definition, nowMs })).id);
  }
  return async () => {
    for (const id of ids) await documents.remove(accountId, kind, { id });
  };
}

async function fire({ schedule }: Storage, nowMs: number, size: number): Promise<void> {
  const claimed = await schedule.fireDue(nowMs, size, (due) => planFiring(due, nowMs));
  if (claimed !== size) throw new Error(`${claimed} of ${size} checks were due`);
}

/** So that every turn begins with all of them due. */
async function fireRest({ schedule }: Storage, nowMs: number): Promise<void> {
  while ((await schedule.fireDue(nowMs, 500, (due) => planFiring(due, nowMs))) > 0);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
