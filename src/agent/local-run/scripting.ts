import { join } from "node:path";
import { isScriptType } from "#contract/checks/index.ts";
import { runtimeIds } from "#contract/runtime-catalog.ts";
import { ConfigError } from "#daemon/env.ts";
import type { AgentEnv } from "../config.ts";
import { systemClock } from "../host/clock.ts";
import type { Trust } from "../net/tls.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import { noSandbox } from "../sandbox/no-sandbox.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { WantedLevel } from "../sandbox/wanted-level.ts";
import type { LocalCheck } from "./local-check.ts";
import { hasScripts } from "./local-material.ts";

/** What the scripts of checks run in. */
export interface LocalScripting extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** What the scripts of a check run on; null for one without. */
  runtimeOf(check: LocalCheck): string | null;
}

/**
 * A sandbox for these checks; none is made where no check has scripts.
 *
 * @throws {ConfigError} where a check has scripts that cannot run here
 */
export async function openScripts(
  checks: readonly LocalCheck[],
  env: Pick<AgentEnv, "DATA_DIR" | "RUNTIMES_DIR" | "SCRIPT_SANDBOX" | "SCRIPT_EGRESS">,
  trust: Trust,
): Promise<LocalScripting> {
  const scripted = checks.filter(hasScripts);
  if (scripted.length === 0) return { sandbox: noSandbox, runtimeOf: wholeRuntime, [Symbol.asyncDispose]: () => Promise.resolve() };
  const runtimesFolder = env.RUNTIMES_DIR ?? join(env.DATA_DIR, "runtimes");
  const log = { info: () => undefined, warn: () => undefined };
  const wanted = { wanted: env.SCRIPT_SANDBOX, wantedWall: env.SCRIPT_EGRESS };
  const sandbox = await createSandbox({ runtimesFolder, concurrency: 1, ...wanted, trust, log, clock: systemClock });
  const newest = [...sandbox.levels].find(([, level]) => level > 0)?.[0];
  const runtimeOf = (check: LocalCheck): string | null =>
    hasScripts(check) ? (check.scripts.runtimeId ?? newest ?? null) : wholeRuntime(check);
  const scripting = { sandbox, runtimeOf, [Symbol.asyncDispose]: () => sandbox.close() };
  const missing = scripted.find((check) => (sandbox.levels.get(runtimeOf(check) ?? "") ?? 0) === 0);
  if (missing === undefined) return scripting;
  await sandbox.close();
  throw new ConfigError(problemOf(missing.scripts.runtimeId, sandbox, env.SCRIPT_SANDBOX, runtimesFolder));
}

/** Of a check that is a script: the newest runtime where it names none, as a new account has it. */
export function wholeRuntime({ type, scripts }: LocalCheck): string | null {
  return isScriptType(type) ? (scripts.runtimeId ?? runtimeIds[0]) : null;
}

/** What keeps the scripts of a check from running, and what to do. */
function problemOf(runtimeId: string | null, { levels, limitation }: Sandbox, wanted: WantedLevel, folder: string): string {
  if (wanted === "off") return "the check has scripts, and SCRIPT_SANDBOX=off refuses them: set it to auto";
  const isInstalled = runtimeId === null ? levels.size > 0 : levels.has(runtimeId);
  if (isInstalled) return `the check has scripts, and they are refused here: ${limitation ?? "no reason given"}`;
  const lacking = runtimeId === null ? `no runtime is installed in ${folder}` : `runtime ${runtimeId} is not installed in ${folder}`;
  return `the check has scripts, and ${lacking}: outpost runtime install ${runtimeId ?? runtimeIds[0]}`;
}
