import type { Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { refuseOtherWords } from "#daemon/finding.ts";
import { createLogger } from "#daemon/logger.ts";
import { misspelt } from "#daemon/misspelt.ts";
import { printFindings } from "#daemon/print-findings.ts";
import { AgentEnv, readAgentConfig } from "../config.ts";
import { systemClock } from "../host/clock.ts";
import { createAgentSecrets } from "../scripts/agent-secrets.ts";
import { diagnose } from "./doctor.ts";
import { telemetryText } from "./doctor-telemetry.ts";
import type { Finding } from "./finding.ts";

/** `outpost doctor [agent] [--telemetry]`. @returns the exit code @throws {ConfigError} for variables that no agent could start with */
export async function main(env: Env, words: readonly string[], { telemetry }: { readonly telemetry: boolean }): Promise<number> {
  refuseOtherWords(words, "agent");
  const config = readAgentConfig(env);
  if (telemetry) {
    const secrets = createAgentSecrets(config.secrets, createLogger("doctor", config.logLevel, process.stderr.isTTY), systemClock);
    process.stdout.write(telemetryText(config, secrets.values()));
    return exitCode.done;
  }
  const findings = [...misspeltSettings(env), ...(await diagnose(config, new AbortController().signal))];
  return printFindings(findings, "An agent", process.stdout);
}

function misspeltSettings(env: Env): readonly Finding[] {
  return misspelt(env, Object.keys(AgentEnv.shape)).map(({ given, meant }) => ({
    about: "settings",
    verdict: "warn",
    text: `${given} is set, but no setting has this name`,
    next: `did you mean ${meant}?`,
  }));
}
