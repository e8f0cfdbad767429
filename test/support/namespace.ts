import { execFile, spawnSync } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Why tests with network namespaces cannot run here, or null. Asked of the kernel, because root in a container may not make one. */
export const noNamespaces: string | null = whyNot();

/** One end of a pair of devices. */
export interface LinkEnd {
  readonly device: string;
  readonly ipv4: string;
  readonly ipv6: string;
}

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
}

export interface RunOptions {
  readonly input?: string;
  /** Default 20 s; then it is killed. */
  readonly limitMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A network namespace with one link: its own end is `inside`, the other is `outside`, in this host or in the namespace `from`. */
export interface NetworkNamespace extends AsyncDisposable {
  readonly name: string;
  readonly inside: LinkEnd;
  readonly outside: LinkEnd;
  /** The words that start a program in it: for `spawn`, where a child has to be watched. */
  command(program: string, args: readonly string[]): [string, string[]];
  /** Runs a program in it to its end; never rejects because of its exit code. */
  run(program: string, args: readonly string[], options?: RunOptions): Promise<Output>;
  /** Processes that run in it. */
  pids(): Promise<number[]>;
  /** Sets `net.ipv4.…`; rejects where the kernel refuses. */
  sysctl(name: string, value: string): Promise<void>;
  /** Loads rules as `nft -f` reads them; rejects where they are wrong. */
  nft(rules: string): Promise<void>;
  /** Named nftables counters. */
  counters(): Promise<Record<string, { readonly packets: number; readonly bytes: number }>>;
}

/**
 * Makes a namespace with a unique name, a veth pair, addresses on both ends and a default route to the outside. `from` puts the
 * outside end into another namespace, so that namespaces make a chain. Disposing ends what still runs in it, and removes it.
 */
export async function networkNamespace(options: { readonly from?: NetworkNamespace } = {}): Promise<NetworkNamespace> {
  const id = randomBytes(4).toString("hex");
  const name = `outpost-${id}`;
  // 198.18.0.0/15 is for tests of networks (RFC 2544): a /30 of it belongs to each link.
  const base = randomInt(2 ** 15) * 4;
  const ipv4 = (host: number): string => `198.${18 + (base >> 16)}.${(base >> 8) & 255}.${(base & 255) + host}`;
  const prefix6 = `fd18:${randomGroup()}:${randomGroup()}::`;
  const outside = { device: `op${id}o`, ipv4: ipv4(1), ipv6: `${prefix6}1` };
  const inside = { device: `op${id}i`, ipv4: ipv4(2), ipv6: `${prefix6}2` };
  const at = (place: string | undefined): string[] => (place === undefined ? [] : ["-n", place]);
  await ip("netns", "add", name);
  try {
    const outer = at(options.from?.name);
    await ip(...outer, "link", "add", outside.device, "type", "veth", "peer", "name", inside.device, "netns", name);
    await raise(outer, outside);
    await ip("-n", name, "link", "set", "lo", "up");
    await raise(["-n", name], inside);
    await ip("-n", name, "route", "add", "default", "via", outside.ipv4);
    await ip("-n", name, "-6", "route", "add", "default", "via", outside.ipv6);
  } catch (error) {
    await ip("netns", "del", name);
    throw error;
  }
  return namespaceNamed(name, inside, outside);
}

function namespaceNamed(name: string, inside: LinkEnd, outside: LinkEnd): NetworkNamespace {
  const command = (program: string, args: readonly string[]): [string, string[]] => ["ip", ["netns", "exec", name, program, ...args]];
  const run = (program: string, args: readonly string[], options: RunOptions = {}): Promise<Output> =>
    output(...command(program, args), options);
  const must = async (program: string, args: readonly string[], options?: RunOptions): Promise<string> => {
    const { stdout, stderr, exitCode } = await run(program, args, options);
    if (exitCode !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${stderr}`);
    return stdout;
  };
  const pids = async (): Promise<number[]> => {
    const { stdout } = await execute("ip", ["netns", "pids", name]);
    return stdout.split("\n").flatMap((pid) => (pid === "" ? [] : [Number(pid)]));
  };
  return {
    name,
    inside,
    outside,
    command,
    run,
    pids,
    async sysctl(key, value) {
      await must("sysctl", ["-q", "-w", `${key}=${value}`]);
    },
    async nft(rules) {
      await must("nft", ["-f", "-"], { input: rules });
    },
    async counters() {
      const listed = JSON.parse(await must("nft", ["-j", "list", "counters"])) as { nftables: { counter?: Counter }[] };
      return Object.fromEntries(
        listed.nftables.flatMap(({ counter }) => (counter ? [[counter.name, { packets: counter.packets, bytes: counter.bytes }]] : [])),
      );
    },
    async [Symbol.asyncDispose]() {
      // Only what was started in it is listed here.
      for (const pid of await pids()) kill(pid);
      // The kernel takes the pair away a little after the namespace; nobody should meet the rest of it.
      await ip("-n", name, "link", "del", inside.device).catch(() => undefined);
      await ip("netns", "del", name);
    },
  };
}

/** Never zero, and without leading zeros: addresses are compared as text. */
function randomGroup(): string {
  return randomInt(1, 2 ** 16).toString(16);
}

interface Counter {
  readonly name: string;
  readonly packets: number;
  readonly bytes: number;
}

/** Own link-local address too, all without duplicate address detection: neighbours must answer at once. */
async function raise(at: readonly string[], { device, ipv4, ipv6 }: LinkEnd): Promise<void> {
  await ip(...at, "address", "add", `${ipv4}/30`, "dev", device);
  await ip(...at, "address", "add", `${ipv6}/64`, "dev", device, "nodad");
  await ip(...at, "link", "set", device, "addrgenmode", "none");
  await ip(...at, "address", "add", `fe80::${ipv6.slice(-1)}/64`, "dev", device, "nodad");
  await ip(...at, "link", "set", device, "up");
}

async function ip(...args: string[]): Promise<void> {
  await execute("ip", args, { timeout: 10_000 });
}

function output(program: string, args: readonly string[], { input, limitMs = 20_000, env }: RunOptions): Promise<Output> {
  const { promise, resolve } = Promise.withResolvers<Output>();
  const options = {
    timeout: limitMs,
    killSignal: "SIGKILL",
    maxBuffer: 64 << 20,
    ...(env && { env: { ...process.env, ...env } }),
  } as const;
  const child = execFile(program, args, options, (error, stdout, stderr) => {
    const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : null;
    resolve({ stdout, stderr: stderr || (error?.message ?? ""), exitCode });
  });
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input ?? "");
  return promise;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it ended by itself
  }
}

function whyNot(): string | null {
  if (process.platform !== "linux") return "network namespaces are of Linux";
  if (process.getuid?.() !== 0) return "only root makes network namespaces";
  for (const [program, ...args] of [
    ["ip", "-V"],
    ["nft", "-v"],
  ] as const) {
    if (spawnSync(program, args).error !== undefined) return `${program} is not installed`;
  }
  const { status } = spawnSync("unshare", ["--net", "--mount", "true"]);
  return status === 0 ? null : "this root may not make network namespaces";
}
