import { posix } from "node:path";
import { AppError } from "#domain/app-error.ts";
import { certificateProblems } from "#domain/client-certificate.ts";
import { asTest, hasTests } from "./plain-script.ts";
import type { PlaywrightTask } from "./playwright-engine.ts";

/** They would change how our own parts work. */
const forbiddenNames = /^(?:NODE_OPTIONS|NODE_PATH|PLAYWRIGHT_.*|PW_.*|PWTEST_.*|LD_.*|OUTPOST_.*|TEST_WORKER_INDEX|TEST_PARALLEL_INDEX)$/;

/** What a pair is told of its files and variables. */
export interface PreparedTask {
  readonly script: string;
  readonly files: readonly { readonly path: string; readonly content: string }[];
  readonly env: Readonly<Record<string, string>>;
  readonly isPlain: boolean;
}

/** @throws {AppError} invalid_input, with what is wrong, before anything starts */
export function prepareTask(task: PlaywrightTask): PreparedTask {
  const path = insidePath(task.scriptPath);
  const forbidden = Object.keys(task.environment).find((name) => forbiddenNames.test(name));
  if (forbidden !== undefined)
    throw new AppError(
      "invalid_input",
      `A script cannot have the variable ${forbidden}: NODE_OPTIONS, NODE_PATH, PLAYWRIGHT_*, PW_*, LD_* and OUTPOST_* are the agent's own`,
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
  const others = task.files.map((file) => ({ path: insidePath(file.path), content: file.content }));
  return { script: path, files: [...others, { path, content }], env: task.environment, isPlain };
}

/** @throws {AppError} invalid_input for a path that leaves the folder */
function insidePath(path: string): string {
  const plain = posix.normalize(path);
  const first = plain.split("/")[0];
  if (path === "" || path.includes("\0") || posix.isAbsolute(plain) || first === ".." || first === "node_modules" || plain === ".")
    throw new AppError("invalid_input", `The path ${JSON.stringify(path.slice(0, 200))} of a file leaves the folder of the script`);
  return plain;
}
