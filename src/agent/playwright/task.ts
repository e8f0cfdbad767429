import { posix } from "node:path";
import { AppError } from "#domain/app-error.ts";
import { certificateProblems } from "#domain/client-certificate.ts";
import { leavesFolder, mayNameVariable, reservedText } from "#domain/script-problems.ts";
import { refusalOf, secretLines } from "#domain/scrub/secret-refusal.ts";
import { asTest, hasTests } from "./plain-script.ts";
import type { PlaywrightTask } from "./playwright-engine.ts";

/** What a pair is told of its files and variables. */
export interface PreparedTask {
  readonly script: string;
  readonly files: readonly { readonly path: string; readonly content: string }[];
  readonly env: Readonly<Record<string, string>>;
  readonly isPlain: boolean;
}

/** @throws {AppError} invalid_input, with what is wrong, before anything starts */
export function prepareTask(task: PlaywrightTask): PreparedTask {
  const path = task.scriptPath;
  const stray = [path, ...task.files.map((file) => file.path)].find(leavesFolder);
  if (stray !== undefined)
    throw new AppError("invalid_input", `the path of a file leaves the folder of its script: ${JSON.stringify(stray.slice(0, 200))}`);
  const forbidden = Object.keys(task.environment).find((name) => !mayNameVariable(name));
  if (forbidden !== undefined)
    throw new AppError(
      "invalid_input",
      `a script cannot have the variable ${JSON.stringify(forbidden)}: ${reservedText} are the agent's own`,
    );
  for (const { host, ...texts } of task.certificates) {
    const [problem] = certificateProblems(texts);
    if (problem !== undefined)
      throw new AppError(
        "invalid_input",
        `ECLIENTCERT the client certificate for ${host} cannot be used: its ${problem.path} ${problem.message}`,
      );
  }
  if (/\bfrom\s*["']puppeteer|require\(["']puppeteer/.test(task.script))
    throw new AppError("invalid_input", `puppeteer is not part of runtime ${task.runtimeId}`);
  const isPlain = !hasTests(task.script);
  const content = isPlain ? asTest(task.script, posix.basename(path)) : task.script;
  return { script: path, files: [...task.files, { path, content }], env: task.environment, isPlain };
}

/** What is blackened on pages: of all secrets the lines that the run is given anyway. */
export function shownSecrets(secrets: readonly string[], environment: Readonly<Record<string, string>>): string[] {
  const given = Object.values(environment);
  const lines = secrets.filter((secret) => refusalOf(secret) === null).flatMap(secretLines);
  return [...new Set(lines)].filter((line) => given.some((value) => value.includes(line)));
}
