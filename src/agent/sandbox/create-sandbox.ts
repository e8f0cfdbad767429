import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type RuntimeId, runtimeIds } from "#contract/runtime-catalog.ts";
import type { Logger } from "#daemon/logger.ts";
import { AppError } from "#domain/app-error.ts";
import { EgressProxy } from "../egress/egress-proxy.ts";
import type { AgentClock } from "../host/clock.ts";
import { createTrust, type Trust } from "../net/tls.ts";
import { nodePath, readManifest } from "../runtimes/runtime-manifest.ts";
import { ChildPool } from "./child-pool.ts";
import { launchOf, type ScriptRuntime } from "./launch.ts";
import { type Negotiated, negotiateLevel } from "./negotiate-level.ts";
import { knownFlags } from "./node-flags.ts";
import { ScriptPreparer } from "./prepare-scripts.ts";
import type { EgressWall, Sandbox, SandboxLevel, ScriptOutcome, ScriptPhase } from "./sandbox.ts";
import { ScriptChild } from "./script-child.ts";
import { type ScriptLimits, scriptLimits } from "./script-limits.ts";
import { failedOutcome, outcomeOf } from "./script-outcome.ts";
import { Seats } from "./seats.ts";
import { makeTargets } from "./self-test.ts";
import { StripThread } from "./strip-thread.ts";
import { lowestLevel, type WantedLevel, type WantedWall } from "./wanted-level.ts";

export interface SandboxOptions {
  readonly runtimesFolder: string;
  /** Phases at the same time (SCRIPT_CONCURRENCY). */
  readonly concurrency: number;
  /** SCRIPT_SANDBOX. */
  readonly wanted: WantedLevel;
  /** SCRIPT_EGRESS; `auto` where it is left out. */
  readonly wantedWall?: WantedWall;
  /** Whom a location's proxy may be signed by; those that Node.js trusts where it is left out. */
  readonly trust?: Trust;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly clock: AgentClock;
  /** Where the self-test may put two files for a moment; the first that can be written. Containers with nothing else have /dev/shm. */
  readonly scratchFolders?: readonly string[];
  readonly limits?: ScriptLimits;
  /** No higher level is tried; 3 by default. */
  readonly highest?: SandboxLevel;
}

/** The sandbox as the agent has it, with what it tells of itself. */
export interface ScriptSandbox extends Sandbox {
  /** For metrics. */
  state(): { readonly running: number; readonly waiting: number; readonly warm: number };
}

/** Most children that wait for scripts (docs/adr/0019-sandbox.md). */
const mostWarm = 4;

type Found = ReadonlyMap<string, { readonly runtime: ScriptRuntime } & Negotiated>;

/** Looks at the runtimes, finds out how well their scripts can be kept apart, and proves it. Takes some 200 ms for each. */
export async function createSandbox(options: SandboxOptions): Promise<ScriptSandbox> {
  const { wanted, log } = options;
  const found: Found = wanted === "off" ? new Map() : await negotiateAll(options, lowestLevel(wanted));
  const levels = new Map([...found].map(([id, { confinement }]) => [id, confinement?.level ?? 0] as const));
  const level = [...levels.values()].filter((one) => one > 0).toSorted((a, b) => a - b)[0] ?? 0;
  const limitation = limitationOf(wanted, found);
  const told = { sandboxLevel: level, scriptEgress: wallOf(found), ...(limitation === null ? {} : { limitation }) };
  if (level === 0) log[found.size === 0 ? "info" : "warn"](told, "this agent cannot run scripts of checks");
  else if ([...levels.values()].some((one) => one < 2)) log.warn(told, "the script sandbox is weaker than it could be");
  else log.info(told, "the script sandbox is ready");
  if (level > 0 && told.scriptEgress === "process") log.warn(told, "only Node.js enforces the egress policy for scripts, not the kernel");
  return new ProcessSandbox(options, found, levels, level, limitation);
}

class ProcessSandbox implements ScriptSandbox {
  readonly level: SandboxLevel;
  readonly limitation: string | null;
  readonly levels: ReadonlyMap<string, SandboxLevel>;
  readonly #options: SandboxOptions;
  readonly #limits: ScriptLimits;
  readonly egressWall: EgressWall;
  readonly #trust: Trust;
  readonly #found: Found;
  readonly #seats: Seats;
  readonly #pool: ChildPool<ScriptChild>;
  readonly #stripping = new StripThread();
  readonly #preparer = new ScriptPreparer((task) => this.#stripping.strip(task));
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(
    options: SandboxOptions,
    found: Found,
    levels: ReadonlyMap<string, SandboxLevel>,
    level: SandboxLevel,
    limitation: string | null,
  ) {
    const { concurrency, clock, limits = scriptLimits } = options;
    this.#trust = options.trust ?? usualTrust();
    this.egressWall = wallOf(found);
    this.#options = options;
    this.#limits = limits;
    this.#found = found;
    this.levels = levels;
    this.level = level;
    this.limitation = limitation;
    this.#seats = new Seats(concurrency);
    this.#pool = new ChildPool({ most: Math.min(concurrency, mostWarm), clock, start: (id) => this.#start(id) });
  }

  async run(phase: ScriptPhase): Promise<ScriptOutcome> {
    phase.signal.throwIfAborted();
    this.#refuse(phase.runtimeId);
    const prepared = await this.#preparer.prepare(phase);
    if ("problem" in prepared) return failedOutcome(phase, prepared.problem);
    const { env, request, response } = phase;
    const excess = excessOf({ env, request, response }, prepared, this.#limits);
    if (excess !== null) return failedOutcome(phase, `${phase.scripts[0]?.name ?? "script"} cannot run: ${excess}`);
    const running = this.#runIn(phase, { ...prepared, env, request, response });
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  state(): { readonly running: number; readonly waiting: number; readonly warm: number } {
    return { running: this.#seats.taken, waiting: this.#seats.waiting, warm: this.#pool.warm };
  }

  async close(): Promise<void> {
    this.#closing.abort(new AppError("cancelled", "the agent ends"));
    this.#stripping.close();
    await Promise.allSettled([...this.#running, this.#pool.close()]);
    await this.#pool.close(); // those that ran are given back by now
  }

  async #runIn(phase: ScriptPhase, order: object): Promise<ScriptOutcome> {
    const signal = AbortSignal.any([phase.signal, this.#closing.signal]);
    using _seat = await this.#seats.take(signal);
    const child = await this.#pool.take(phase.runtimeId).catch((error: unknown) => {
      signal.throwIfAborted(); // it is why none started
      throw error;
    });
    try {
      const outcome = await child.run(order, phase.scripts.length, { ...phase.network, trust: this.#trust }, signal);
      signal.throwIfAborted();
      return outcomeOf(phase, outcome, this.#limits);
    } finally {
      this.#pool.give(phase.runtimeId, child);
    }
  }

  /** @throws {AppError} when scripts of this runtime do not run here */
  #refuse(runtimeId: string): void {
    const { wanted, wantedWall = "auto" } = this.#options;
    if (wanted === "off") throw new AppError("forbidden", "Scripts are refused: SCRIPT_SANDBOX is off at this agent");
    const found = this.#found.get(runtimeId);
    if (found === undefined) {
      throw new AppError("not_found", `Runtime ${runtimeId} is not installed at this agent: outpost runtime install ${runtimeId}`);
    }
    if (found.confinement !== null) return;
    const why = `this machine cannot keep them apart as SCRIPT_SANDBOX=${wanted}${wantedWall === "auto" ? "" : " and SCRIPT_EGRESS=require"} asks (${found.limitation ?? "no level"})`;
    throw new AppError("forbidden", `Scripts of runtime ${runtimeId} are refused: ${why}`);
  }

  async #start(runtimeId: string): Promise<ScriptChild> {
    const found = this.#found.get(runtimeId);
    if (found === undefined || found.confinement === null) throw new Error(`no confinement for ${runtimeId}`);
    const egress = await EgressProxy.open();
    return new ScriptChild(launchOf(found.runtime, found.confinement, this.#limits, egress.port), this.#limits, egress);
  }
}

/** One after the other: on a small machine they would only delay each other. */
async function negotiateAll(options: SandboxOptions, lowest: SandboxLevel): Promise<Found> {
  const { runtimesFolder, scratchFolders = [tmpdir(), "/dev/shm"], limits = scriptLimits, highest = 3, wantedWall = "auto" } = options;
  const found = new Map<string, { readonly runtime: ScriptRuntime } & Negotiated>();
  const present = await presentRuntimes(resolve(runtimesFolder));
  if (present.length === 0) return found;
  await using targets = await makeTargets(scratchFolders);
  const unwritable = targets === null ? `its test can write to none of ${scratchFolders.join(", ")}` : "";
  for (const { id, folder } of present) {
    const runtime = await readRuntime(id, folder);
    const negotiated =
      typeof runtime === "string" || targets === null
        ? { confinement: null, egressWall: "process" as const, limitation: typeof runtime === "string" ? runtime : unwritable }
        : await negotiateLevel(runtime, { lowest, highest, wall: wantedWall }, targets, limits);
    const known = typeof runtime === "string" ? { id, folder, node: join(folder, nodePath), flags: new Set<string>() } : runtime;
    found.set(id, { runtime: known, ...negotiated });
  }
  return found;
}

async function readRuntime(id: RuntimeId, folder: string): Promise<ScriptRuntime | string> {
  const node = join(folder, nodePath);
  try {
    return { id, folder, node, flags: await knownFlags(node) };
  } catch {
    return "its Node.js does not start";
  }
}

/** A broken one is told about where runtimes are announced. */
async function presentRuntimes(runtimesFolder: string): Promise<{ readonly id: RuntimeId; readonly folder: string }[]> {
  const all = runtimeIds.map((id) => ({ id, folder: join(runtimesFolder, id) }));
  const isThere = await Promise.all(
    all.map(({ folder }) =>
      readManifest(folder).then(
        (manifest) => manifest !== null,
        () => false,
      ),
    ),
  );
  return all.filter((_, index) => isThere[index]);
}

/** Of the runtimes whose scripts run. */
function wallOf(found: Found): EgressWall {
  return [...found.values()].some(({ confinement, egressWall }) => confinement !== null && egressWall === "process") ? "process" : "kernel";
}

function usualTrust(): Trust {
  let made: ReturnType<Trust> | undefined;
  return () => (made ??= createTrust([]));
}

/** Of the runtime with the lowest level. */
function limitationOf(wanted: WantedLevel, found: Found): string | null {
  if (wanted === "off") return "SCRIPT_SANDBOX is off: scripts are refused";
  if (found.size === 0) return "no runtime is installed, so there are no scripts to run: outpost runtime install 2026.04";
  const levelOf = ({ confinement }: Negotiated): SandboxLevel => confinement?.level ?? 0;
  const [id, lowest] = [...found].toSorted(([, a], [, b]) => levelOf(a) - levelOf(b))[0] ?? [];
  if (lowest === undefined || (wanted !== "auto" && levelOf(lowest) >= lowestLevel(wanted))) return null;
  return lowest.limitation === null ? null : `on runtime ${id}: ${lowest.limitation}`;
}

/** Why a phase is too large to be handed over, or null. */
function excessOf(values: object, code: object, { handedBytes, codeBytes }: ScriptLimits): string | null {
  const handed = Buffer.byteLength(JSON.stringify(values));
  if (handed > handedBytes)
    return `request, response and variables are ${Math.ceil(handed / 1024)} KB, and ${handedBytes / 1024} KB can be handed over`;
  const length = Buffer.byteLength(JSON.stringify(code));
  return length > codeBytes
    ? `scripts and snippets are ${Math.ceil(length / 1024)} KB, and ${codeBytes / 1024} KB can be handed over`
    : null;
}
