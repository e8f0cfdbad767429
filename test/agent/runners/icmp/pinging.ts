import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { NetworkNamespace } from "../../../support/namespace.ts";
import type { ChildReport, ChildTask } from "./icmp-child.ts";

/** Who pings in a namespace: words of setpriv(1). The user is never root. */
export type Rights = "none" | "raw";

const nobody = ["--reuid=nobody", "--regid=nogroup", "--clear-groups"];
const rightsWords: Readonly<Record<Rights, readonly string[]>> = {
  none: [...nobody, "--bounding-set=-all", "--no-new-privs"],
  raw: [...nobody, "--inh-caps=+net_raw", "--ambient-caps=+net_raw"],
};

const nodeWords = [process.execPath, "--disable-warning=ExperimentalWarning", "--conditions=source"] as const;

/** Lets datagram sockets of ICMP be opened by every group, or by none. */
export async function setPingRange(namespace: NetworkNamespace, range: "all" | "none"): Promise<void> {
  await namespace.sysctl("net.ipv4.ping_group_range", range === "all" ? "0 2147483647" : "1 0");
}

/** Runs ICMP checks in the namespace, as a user who is not root. */
export async function ping(namespace: NetworkNamespace, rights: Rights, task: ChildTask, setup?: readonly string[]): Promise<ChildReport> {
  const child = join(import.meta.dirname, "icmp-child.ts");
  const words = [...(setup ?? rightsWords[rights]), ...nodeWords, child, JSON.stringify(task)];
  const { stdout, stderr, exitCode } = await namespace.run("setpriv", words, { limitMs: 60_000 });
  if (exitCode !== 0) throw new Error(`the child ended with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout) as ChildReport;
}

/** Words for a user who is not root, but whose programs may gain what their files give. */
export const unprivileged: readonly string[] = nobody;

export interface Responder extends AsyncDisposable {
  /** What it told of held replies. */
  readonly held: readonly { readonly sequence: number; readonly heldMs: number }[];
}

/** Answers in the kernel's place on 127.0.0.1 of the namespace; see responder-child.ts. */
export async function responder(namespace: NetworkNamespace, ...mode: readonly string[]): Promise<Responder> {
  await namespace.sysctl("net.ipv4.icmp_echo_ignore_all", "1");
  const [, ...words] = nodeWords;
  const child = spawn(...namespace.command(process.execPath, [...words, join(import.meta.dirname, "responder-child.ts"), ...mode]), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const held: { sequence: number; heldMs: number }[] = [];
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line");
  lines.on("line", (line) => held.push(JSON.parse(line) as (typeof held)[number]));
  return { held, [Symbol.asyncDispose]: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
