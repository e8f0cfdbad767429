import { suiteLimitMs } from "#contract/checks/index.ts";
import type { PlaywrightCheckSettings } from "#contract/checks/playwright.ts";
import { AppError } from "#domain/app-error.ts";
import { testCommand } from "#domain/test-command.ts";
import type { RunContext } from "../runners/check-runner.ts";

/** A Node.js of this agent. */
export interface SuiteNode {
  readonly version: string;
  readonly file: string;
}

export type SuiteContext = Pick<RunContext, "signal" | "monotonicMs" | "proxyUrl" | "resolver" | "egress" | "onProgress">;

/** @throws {AppError} invalid_input with what is wrong, before anything starts */
export function suiteTask(
  settings: PlaywrightCheckSettings,
  { script: around, bundles, certificates }: RunContext,
  engine: { readonly nodeFor: (wanted: string | null) => SuiteNode },
) {
  if (around === undefined || bundles === undefined)
    throw new AppError("unavailable", "a suite runs for a control plane only, which has its code bundle");
  const sha256 = /(?:^|\/)([0-9a-f]{64})\.tar\.gz$/.exec(settings.codeBundlePath)?.[1];
  if (sha256 === undefined)
    throw new AppError(
      "invalid_input",
      settings.codeBundlePath === ""
        ? "the check has no code bundle yet: upload the project with outpost suite deploy"
        : `codeBundlePath must end with the SHA-256 of a bundle and .tar.gz; received ${JSON.stringify(settings.codeBundlePath.slice(0, 200))}`,
    );
  const command = testCommand(settings.testCommand);
  if ("problem" in command) throw new AppError("invalid_input", `testCommand cannot be used: ${command.problem}`);
  const missing = settings.browsers.find((name) => name !== "chromium");
  if (missing !== undefined)
    throw new AppError(
      "invalid_input",
      `browsers has ${JSON.stringify(missing)}; this agent has chromium: leave the others out of browsers and of the projects that testCommand runs`,
    );
  if (settings.engine === "bun")
    throw new AppError("invalid_input", "engine is bun; this agent runs suites on Node.js: set engine to node");
  return {
    sha256,
    bundles,
    node: engine.nodeFor(settings.engineVersion),
    words: command.words,
    settings,
    environment: around.environment,
    secrets: around.secrets,
    certificates: certificates ?? [],
    limitMs: suiteLimitMs,
  };
}

export type SuiteTask = ReturnType<typeof suiteTask>;
