import { setTimeout as pause } from "node:timers/promises";
import { randomFrom } from "../../test/support/random-from.ts";
import type { Installation } from "./installation.ts";
import type { Living } from "./living.ts";

/** One fault of a plan. */
export interface Planned {
  /** After the beginning, ms. */
  readonly atMs: number;
  readonly name: string;
  /** Which of several it meets: any number. */
  readonly which: number;
  readonly lastsMs: number;
  /** For clocks: how far, and which way. */
  readonly stepMs: number;
}

interface Fault {
  /** Out of all shares together. */
  readonly share: number;
  readonly seconds: readonly [number, number];
  /** What is met by one fault at a time. */
  readonly meets: (site: Installation, which: number) => readonly string[];
  readonly befall: (site: Installation, planned: Planned) => Promise<void>;
}

const one = <T>(of: readonly T[], which: number): T => of[which % of.length] as T;
const all = (site: Installation): readonly string[] => ["store", ...[...site.controlPlanes, ...site.agents].map(({ name }) => name)];

function onProcess(pick: (site: Installation) => readonly Living[], befall: (living: Living, lastsMs: number) => Promise<void>) {
  return {
    meets: (site: Installation, which: number) => [one(pick(site), which).name],
    befall: (site: Installation, { which, lastsMs }: Planned) => befall(one(pick(site), which), lastsMs),
  };
}

const killed = async (living: Living, lastsMs: number): Promise<void> => {
  await living.end("SIGKILL");
  await pause(lastsMs);
  living.start();
};
const replaced = async (living: Living): Promise<void> => {
  await living.end("SIGTERM");
  living.start();
};
const frozen = async (living: Living, lastsMs: number): Promise<void> => {
  living.freeze();
  await pause(lastsMs);
  living.thaw();
};

const agents = (site: Installation): readonly Living[] => site.agents;
const controlPlanes = (site: Installation): readonly Living[] => site.controlPlanes;
type Way = Installation["ways"][number];
function onNetwork(befall: (way: Way, lastsMs: number) => Promise<void>) {
  return {
    meets: (site: Installation, which: number) => [`way ${which % site.ways.length}`],
    befall: (site: Installation, { which, lastsMs }: Planned) => befall(one(site.ways, which), lastsMs),
  };
}
const network = (state: "cut" | "freeze") =>
  onNetwork(async (way, lastsMs) => {
    way.become(state);
    await pause(lastsMs);
    way.become("open");
  });

/** Each heals itself in the end. */
const faults: Readonly<Record<string, Fault>> = {
  "agent killed": { share: 4, seconds: [0, 5], ...onProcess(agents, killed) },
  "agent replaced": { share: 2, seconds: [0, 0], ...onProcess(agents, replaced) },
  "agent frozen": { share: 2, seconds: [5, 60], ...onProcess(agents, frozen) },
  "control plane killed": { share: 4, seconds: [0, 20], ...onProcess(controlPlanes, killed) },
  "control plane replaced": { share: 1, seconds: [0, 0], ...onProcess(controlPlanes, replaced) },
  "control plane frozen": { share: 1, seconds: [1, 20], ...onProcess(controlPlanes, frozen) },
  "network cut": { share: 3, seconds: [2, 60], ...network("cut") },
  "network silent": { share: 3, seconds: [5, 60], ...network("freeze") },
  "answers to results lost": {
    share: 2,
    seconds: [0, 0],
    ...onNetwork(async (way) => way.swallow("/agent/v1/results", 3)),
  },
  "answers to polls lost": { share: 2, seconds: [0, 0], ...onNetwork(async (way) => way.swallow("/agent/v1/jobs/lease", 2, "jobId")) },
  "network slow": {
    share: 1,
    seconds: [5, 30],
    ...onNetwork(async (way, lastsMs) => {
      way.delay(300);
      await pause(lastsMs);
      way.delay(0);
    }),
  },
  "store away": {
    share: 2,
    seconds: [1, 20],
    meets: () => ["store"],
    befall: (site, { lastsMs }) => site.store.away(lastsMs),
  },
  "disk of the store full": {
    share: 2,
    seconds: [5, 20],
    meets: () => ["store"],
    befall: async (site, { lastsMs }) => {
      await site.storeDisk.fill();
      await pause(lastsMs);
      site.storeDisk.free();
      await site.store.restored();
    },
  },
  "disk of the agents full": {
    share: 1,
    seconds: [5, 30],
    meets: () => ["disk of the agents"],
    befall: async (site, { lastsMs }) => {
      await site.agentDisk.fill();
      await pause(lastsMs);
      site.agentDisk.free();
    },
  },
  "clock of the control planes stepped": {
    share: 2,
    seconds: [20, 60],
    meets: () => ["clock of the control planes"],
    befall: async (site, { lastsMs, stepMs }) => {
      site.setClock("control-planes", stepMs);
      await pause(lastsMs);
      site.setClock("control-planes", 0);
    },
  },
  "clock of the agents stepped": {
    share: 1,
    seconds: [20, 60],
    meets: () => ["clock of the agents"],
    befall: async (site, { lastsMs, stepMs }) => {
      site.setClock("agents", stepMs * 40);
      await pause(lastsMs);
      site.setClock("agents", 0);
    },
  },
  "receiver of alerts away": {
    share: 2,
    seconds: [5, 30],
    meets: () => ["receiver"],
    befall: async (site, { lastsMs }) => {
      site.receiver.isAway = true;
      await pause(lastsMs);
      site.receiver.isAway = false;
    },
  },
  "everything killed at once": {
    share: 1,
    seconds: [1, 5],
    meets: all,
    befall: async (site, { lastsMs }) => {
      await Promise.all([...site.controlPlanes, ...site.agents].map((living) => living.end("SIGKILL")));
      await site.store.away(lastsMs);
      for (const living of [...site.controlPlanes, ...site.agents]) living.start();
    },
  },
};

/** The same for the same seed: a fault each eight seconds, on an average, until half a minute before the end. */
export function plan(seed: number, durationMs: number): readonly Planned[] {
  const random = randomFrom(seed);
  const shares = Object.entries(faults).flatMap(([name, { share }]) => Array.from({ length: share }, () => name));
  const planned: Planned[] = [];
  for (let atMs = 5_000; atMs < durationMs - 30_000; atMs += 2_000 + random() * 12_000) {
    const name = one(shares, Math.floor(random() * shares.length));
    const [least, most] = faults[name]?.seconds ?? [0, 0];
    const stepMs = Math.round((random() < 0.5 ? -1 : 1) * (3 + random() * 87)) * 1_000;
    planned.push({ atMs, name, which: Math.floor(random() * 1_000), lastsMs: (least + random() * (most - least)) * 1_000, stepMs });
  }
  return planned;
}

/** Lets all of a plan happen at its time; what meets the same part waits until that is healed. Resolves when all is healed. */
export async function afflict(site: Installation, planned: readonly Planned[], told: (sentence: string) => void): Promise<void> {
  const begunMs = performance.now();
  const busy = new Map<string, Promise<void>>();
  for (const next of planned) {
    await pause(Math.max(0, next.atMs - (performance.now() - begunMs)));
    const fault = faults[next.name];
    if (fault === undefined) throw new Error(`no fault is called ${next.name}`);
    const parts = fault.meets(site, next.which);
    const before = parts.map((part) => busy.get(part) ?? Promise.resolve());
    const healed = Promise.all(before).then(async () => {
      told(`${seconds(performance.now() - begunMs)} ${next.name} (${parts.join(", ")}) for ${seconds(next.lastsMs)}`);
      await fault.befall(site, next);
    });
    for (const part of parts) busy.set(part, healed);
  }
  await Promise.all(busy.values());
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
