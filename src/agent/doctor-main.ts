import type { Env } from "#daemon/env.ts";
import { readAgentConfig } from "./config.ts";
import { diagnose } from "./doctor.ts";
import { printDiagnosis } from "./doctor-print.ts";

/** `outpost doctor`. @returns the exit code @throws {ConfigError} for variables that no agent could start with */
export async function main(env: Env): Promise<number> {
  const findings = await diagnose(readAgentConfig(env), new AbortController().signal);
  return printDiagnosis(findings, process.stdout);
}
