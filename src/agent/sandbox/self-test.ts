import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, readlink, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import type { ChildAttack } from "./child-line.ts";
import type { Launch } from "./launch.ts";
import { ScriptChild } from "./script-child.ts";
import type { ScriptLimits } from "./script-limits.ts";

/** What a script must not be able to do, for people. */
const attacks: Readonly<Record<keyof ChildAttack, string>> = {
  environment: "reads the agent's environment",
  signal: "sends signals to the agent",
  file: "reads a file of the agent's user",
  exec: "starts programs",
  socket: "connects to a Unix socket",
};

const never = new AbortController().signal;

/** What the attacks aim at: a file that its owner alone may read, and a socket that everybody may use. */
export interface Targets extends AsyncDisposable {
  readonly file: string;
  readonly socket: string;
}

/** Makes the targets in the first folder that can be written; null when none can. */
export async function makeTargets(folders: readonly string[]): Promise<Targets | null> {
  const folder = await firstWritable(folders);
  if (folder === null) return null;
  const [file, socket] = [join(folder, "secret"), join(folder, "socket")];
  const server = createServer((connection) => connection.destroy());
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await chmod(folder, 0o755); // it is not the folder that must keep them out
    await writeFile(file, randomBytes(32).toString("hex"), { mode: 0o600 });
    await once(server.listen(socket), "listening");
    await chmod(socket, 0o777);
  } catch (error) {
    await remove();
    throw error;
  }
  return { file, socket, [Symbol.asyncDispose]: () => closed(server).then(remove) };
}

export interface SelfTest {
  /** What a script could do, or why there was no test, for people; null: it withstood. */
  readonly problem: string | null;
  readonly idleBytes: number | null;
}

/** Starts a child and attacks the agent from it. */
export async function selfTest(launch: Launch, targets: Targets, limits: ScriptLimits): Promise<SelfTest> {
  const child = new ScriptChild(launch, limits);
  try {
    const problem = await child.ready();
    if (problem !== null) return { problem: `it does not start (${problem})`, idleBytes: null };
    const idleBytes = child.idleBytes();
    const pidNamespace = await readlink("/proc/self/ns/pid").catch(() => null);
    const attack = { pid: process.pid, pidNamespace, file: targets.file, socket: targets.socket };
    const outcome = await child.run({ attack }, 1, never);
    if (outcome.how !== "answered" || !("attack" in outcome.end)) return { problem: `its test did not end (${outcome.how})`, idleBytes };
    return { problem: problemOf(outcome.end.attack), idleBytes };
  } finally {
    await child.close();
  }
}

function problemOf(answer: ChildAttack): string | null {
  const succeeded = Object.entries(attacks).filter(([name]) => !answer[name as keyof ChildAttack]);
  return succeeded.length === 0 ? null : `a script in it ${succeeded.map(([, what]) => what).join(", ")}`;
}

async function firstWritable([folder, ...others]: readonly string[]): Promise<string | null> {
  if (folder === undefined) return null;
  try {
    return await mkdtemp(join(folder, "outpost-sandbox-"));
  } catch {
    return firstWritable(others);
  }
}

function closed(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  return promise;
}
