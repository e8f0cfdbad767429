import { type Confinement, launchOf, noFilterHere, type ScriptRuntime } from "./launch.ts";
import { permissionFlag } from "./node-flags.ts";
import type { EgressWall, SandboxLevel } from "./sandbox.ts";
import type { ScriptLimits } from "./script-limits.ts";
import { selfTest, type Targets } from "./self-test.ts";
import type { WantedWall } from "./wanted-level.ts";

/** What was found for a runtime; no confinement: its scripts are refused. */
export interface Negotiated {
  readonly confinement: Confinement | null;
  readonly egressWall: EgressWall;
  /** Why it is not a higher level, for people; null at the highest. */
  readonly limitation: string | null;
}

/** A user that owns nothing, where the agent is root and can give its rights away. */
export const nobody = 64_123;

/**
 * The highest level that this machine can give a runtime, proved by attacks: at levels 2 and 3 without what Node.js itself
 * does, so that it is the kernel that withstands them, and once more as scripts will run.
 */
export async function negotiateLevel(
  runtime: ScriptRuntime,
  { lowest, highest, wall }: { readonly lowest: SandboxLevel; readonly highest: SandboxLevel; readonly wall: WantedWall },
  targets: Targets,
  limits: ScriptLimits,
): Promise<Negotiated> {
  const problems: string[] = [];
  for (const level of [3, 2, 1] as const) {
    if (level < lowest || level > highest) continue;
    const found = await provedAt(level, runtime, targets, limits);
    const isOpen = typeof found !== "string" && wall === "require" && found.egressWall !== "kernel";
    if (typeof found !== "string" && !isOpen) return { ...found, limitation: sentence(problems) };
    problems.push(`level ${level} is not possible: ${typeof found === "string" ? found : noWall}`);
  }
  return { confinement: null, egressWall: "process", limitation: sentence(problems) };
}

const noWall = "the kernel does not hold its connections, as SCRIPT_EGRESS=require asks (it needs Landlock's rules for TCP: Linux 6.7)";

type Proved = Pick<Negotiated, "egressWall"> & { readonly confinement: Confinement };

/** As a user of its own where that works, else as the agent's; or why neither does. */
async function provedAt(
  level: Confinement["level"],
  runtime: ScriptRuntime,
  targets: Targets,
  limits: ScriptLimits,
): Promise<Proved | string> {
  const reason = level === 1 ? noModelOf(runtime) : noFilterHere();
  if (reason !== null) return reason;
  const users = process.getuid?.() === 0 ? [nobody, null] : [null];
  let problem = "";
  for (const user of users) {
    const found = await proved({ level, user, idleBytes: null }, runtime, targets, limits);
    if (typeof found !== "string") return found;
    problem ||= found;
  }
  return problem;
}

/** What the kernel does is seen without what Node.js does: at level 1 that is to hold the network at most. */
async function proved(first: Confinement, runtime: ScriptRuntime, targets: Targets, limits: ScriptLimits): Promise<Proved | string> {
  const asScript = await selfTest((port) => launchOf(runtime, first, limits, port), targets, limits);
  if (asScript.problem !== null) return asScript.problem;
  const confinement = { ...first, idleBytes: asScript.idleBytes };
  const raw = await selfTest((port) => launchOf(runtime, confinement, limits, port, false), targets, limits);
  if (first.level > 1 && raw.problem !== null) return raw.problem;
  return { confinement, egressWall: raw.holdsEgress ? "kernel" : "process" };
}

/** Without one, nothing at level 1 keeps scripts from files: the self-test's file is safe from another user, but others are not. */
function noModelOf({ flags }: ScriptRuntime): string | null {
  return permissionFlag(flags) === undefined ? "its Node.js has no permission model" : null;
}

function sentence(problems: readonly string[]): string | null {
  return problems.length === 0 ? null : problems.join("; ");
}
