import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { outpostProgram } from "../../support/built-program.ts";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Called as soon as the process has begun. */
  readonly began?: (child: { kill(signal: NodeJS.Signals): boolean }) => void;
}

/** `outpost run …` as a process of its own, in an empty folder but for `files`, without the environment of the tests. */
export async function outpostRun(
  words: readonly string[],
  files: Readonly<Record<string, unknown>> = {},
  options: RunOptions = {},
): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-run-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content));
  }
  const child = spawn(process.execPath, [...outpostProgram(), "run", ...words], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", ...options.env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on("error", () => undefined); // it need not be read to its end
  child.stdin.end(options.stdin ?? "");
  options.began?.(child);
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}
