import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, readlink, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { EgressProxy } from "../egress/egress-proxy.ts";
import type { Network } from "../egress/network.ts";
import { createEgressPolicy } from "../net/egress-policy.ts";
import { createStubResolver } from "../net/stub-resolver.ts";
import { createTrust } from "../net/tls.ts";
import type { ChildAttack } from "./child-line.ts";
import type { Launch } from "./launch.ts";
import { ScriptChild } from "./script-child.ts";
import type { ScriptLimits } from "./script-limits.ts";

/** What a script must not be able to do, for people. */
const attacks: Readonly<Record<Exclude<keyof ChildAttack, "egress">, string>> = {
  environment: "reads the agent's environment",
  signal: "sends signals to the agent",
  file: "reads a file of the agent's user",
  exec: "starts programs",
  socket: "connects to a Unix socket",
};

const never = new AbortController().signal;
/** What the proxy of a test lets through. */
const nowhere: Network = {
  resolver: createStubResolver(),
  egress: createEgressPolicy({ allowCidrs: [], denyCidrs: ["0.0.0.0/0", "::/0"], mode: "default", ownPorts: [] }),
  proxyUrl: null,
  trust: () => createTrust([]),
};

/** What the attacks aim at: a file that its owner alone may read, and a socket and a port that everybody may use. */
export interface Targets extends AsyncDisposable {
  readonly file: string;
  readonly socket: string;
  readonly port: number;
}

/** Makes the targets in the first folder that can be written; null when none can. */
export async function makeTargets(folders: readonly string[]): Promise<Targets | null> {
  const folder = await firstWritable(folders);
  if (folder === null) return null;
  const [file, socket] = [join(folder, "secret"), join(folder, "socket")];
  const server = createServer((connection) => connection.destroy());
  const ofTcp = createServer((connection) => connection.destroy());
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await chmod(folder, 0o755); // it is not the folder that must keep them out
    await writeFile(file, randomBytes(32).toString("hex"), { mode: 0o600 });
    await once(server.listen(socket), "listening");
    await chmod(socket, 0o777);
    await once(ofTcp.listen(0, "127.0.0.1"), "listening");
  } catch (error) {
    await remove();
    throw error;
  }
  const { port } = ofTcp.address() as AddressInfo;
  const close = (): Promise<void> => Promise.all([closed(server), closed(ofTcp)]).then(remove);
  return { file, socket, port, [Symbol.asyncDispose]: close };
}

export interface SelfTest {
  /** What a script could do, or why there was no test, for people; null: it withstood. */
  readonly problem: string | null;
  /** Whether it could reach the network by its proxy alone. */
  readonly holdsEgress: boolean;
  readonly idleBytes: number | null;
}

/** Starts a child and attacks the agent from it. */
export async function selfTest(launchBy: (proxyPort: number) => Launch, targets: Targets, limits: ScriptLimits): Promise<SelfTest> {
  const egress = await EgressProxy.open();
  const child = new ScriptChild(launchBy(egress.port), limits, egress);
  try {
    const problem = await child.ready();
    if (problem !== null) return { problem: `it does not start (${problem})`, holdsEgress: false, idleBytes: null };
    const idleBytes = child.idleBytes();
    const pidNamespace = await readlink("/proc/self/ns/pid").catch(() => null);
    const attack = { pid: process.pid, pidNamespace, file: targets.file, socket: targets.socket, port: targets.port };
    const outcome = await child.run({ attack }, 1, nowhere, never);
    if (outcome.how !== "answered" || !("attack" in outcome.end))
      return { problem: `its test did not end (${outcome.how})`, holdsEgress: false, idleBytes };
    return { problem: problemOf(outcome.end.attack), holdsEgress: outcome.end.attack.egress, idleBytes };
  } finally {
    await child.close();
  }
}

function problemOf(answer: ChildAttack): string | null {
  const succeeded = Object.entries(attacks).filter(([name]) => !answer[name as keyof typeof attacks]);
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
