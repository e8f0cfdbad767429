import { ConfigError, type Env } from "#daemon/env.ts";
import { refuseOtherWords } from "#daemon/finding.ts";
import { misspelt } from "#daemon/misspelt.ts";
import { printFindings } from "#daemon/print-findings.ts";
import { ControlPlaneEnv, readControlPlaneConfig } from "../config.ts";
import { diagnose } from "./diagnose.ts";
import type { Finding } from "./finding.ts";

const leaveMs = 1_000;

/** `outpost doctor control-plane`. @returns the exit code @throws {ConfigError} for other words */
export async function main(env: Env, words: readonly string[]): Promise<number> {
  refuseOtherWords(words, "control-plane");
  const code = printFindings(await findingsOf(env, new AbortController().signal), "A control plane", process.stdout);
  // What a deadline gave up, such as a request to a store that is silent, may hold the process for minutes more.
  setTimeout(() => process.exit(code), leaveMs).unref();
  return code;
}

/** Everything that is found with these variables; where they are wrong, that alone. */
export async function findingsOf(env: Env, signal: AbortSignal): Promise<readonly Finding[]> {
  const config = configOf(env);
  if ("verdict" in config) return [config];
  const near = misspelt(env, Object.keys(ControlPlaneEnv.shape)).map(
    ({ given, meant }): Finding => ({
      about: "settings",
      verdict: "warn",
      text: `${given} is set, but no setting has this name`,
      next: `did you mean ${meant}?`,
    }),
  );
  const read: Finding = { about: "settings", verdict: "ok", text: "all variables can be used" };
  return [...(near.length > 0 ? near : [read]), ...(await diagnose(config, signal))];
}

function configOf(env: Env): ReturnType<typeof readControlPlaneConfig> | Finding {
  try {
    return readControlPlaneConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const text = error.message.trim().replaceAll(/\s*\n\s*/g, "; ");
    return { about: "settings", verdict: "fail", text, next: "correct these variables; nothing else can be examined before" };
  }
}
