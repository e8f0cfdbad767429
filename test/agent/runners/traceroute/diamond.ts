import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type NetworkNamespace, networkNamespace } from "../../../support/namespace.ts";
import type { ChildReport, ChildTask, Seen } from "./trace-child.ts";

const nodeFlags = ["--disable-warning=ExperimentalWarning", "--conditions=source"];
const withoutRights = ["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];
/** One more link than the chain has: of a range for documentation, so that it is nobody's. */
const lower = { IPv4: ["192.0.2.1", "192.0.2.2"], IPv6: ["2001:db8::1", "2001:db8::2"] } as const;

/**
 * agent - first - (left or right) - last - target, each in a namespace of its own. The first router spreads flows to the target
 * over two equal ways; the target listens on 8080.
 */
export interface Diamond extends AsyncDisposable {
  readonly agent: NetworkNamespace;
  readonly first: NetworkNamespace;
  readonly left: NetworkNamespace;
  readonly right: NetworkNamespace;
  readonly last: NetworkNamespace;
  readonly target: NetworkNamespace;
  readonly path: { readonly [F in "IPv4" | "IPv6"]: { first: string; left: string; right: string; last: string; target: string } };
  /** Runs the child in the agent's namespace, as nobody without any right. */
  run(task: ChildTask): Promise<ChildReport>;
  /** One request, and what was seen. */
  trace(request: object, more?: Omit<ChildTask, "requests">): Promise<Seen>;
}

export async function diamond(): Promise<Diamond> {
  await using made = new AsyncDisposableStack();
  const agent = made.use(await networkNamespace());
  const first = made.use(await networkNamespace({ from: agent }));
  const left = made.use(await networkNamespace({ from: first }));
  const right = made.use(await networkNamespace({ from: first }));
  const last = made.use(await networkNamespace({ from: left }));
  const target = made.use(await networkNamespace({ from: last }));
  await linkLower(right, last);
  for (const router of [first, left, right, last]) await forwardIn(router);
  for (const [flag, family] of [
    ["-4", "IPv4"],
    ["-6", "IPv6"],
  ] as const) {
    const at = (place: NetworkNamespace): string => (family === "IPv4" ? place.inside.ipv4 : place.inside.ipv6);
    await ip(agent, flag, "route", "add", at(target), "via", at(first));
    await ip(first, flag, "route", "add", at(target), "nexthop", "via", at(left), "nexthop", "via", at(right));
    await ip(left, flag, "route", "add", at(target), "via", at(last));
    await ip(right, flag, "route", "add", at(target), "via", lower[family][1]);
  }
  made.defer(await startTarget(target));
  for (const address of [target.inside.ipv4, target.inside.ipv6]) {
    const { exitCode, stderr } = await agent.run("ping", ["-q", "-c", "1", "-w", "10", address]);
    if (exitCode !== 0) throw new Error(`${address} does not answer ${stderr}`);
  }
  const parts = made.move();
  const run = async (task: ChildTask): Promise<ChildReport> => {
    const words = [...withoutRights, process.execPath, ...nodeFlags, join(import.meta.dirname, "trace-child.ts"), JSON.stringify(task)];
    const { stdout, stderr, exitCode } = await agent.run("setpriv", words, { limitMs: 60_000 });
    if (exitCode !== 0) throw new Error(`the tracing child failed: ${stderr}`);
    return JSON.parse(stdout) as ChildReport;
  };
  const places = { first, left, right, last, target };
  const addresses = (text: (place: NetworkNamespace) => string): Diamond["path"]["IPv4"] =>
    Object.fromEntries(Object.entries(places).map(([name, place]) => [name, text(place)])) as unknown as Diamond["path"]["IPv4"];
  return {
    agent,
    ...places,
    path: { IPv4: addresses(({ inside }) => inside.ipv4), IPv6: addresses(({ inside }) => shortest(inside.ipv6)) },
    run,
    async trace(request, more = {}) {
      const { seen } = await run({ requests: [request], ...more });
      const [only] = seen;
      if (only === undefined) throw new Error("nothing was seen");
      return only;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** As programs write the address (RFC 5952). */
function shortest(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

async function ip(place: NetworkNamespace, ...args: string[]): Promise<void> {
  const { exitCode, stderr } = await place.run("ip", args);
  if (exitCode !== 0) throw new Error(`ip ${args.join(" ")}: ${stderr}`);
}

async function linkLower(right: NetworkNamespace, last: NetworkNamespace): Promise<void> {
  await ip(right, "link", "add", "lower0", "type", "veth", "peer", "name", "lower1", "netns", last.name);
  for (const [place, device, index] of [
    [right, "lower0", 0],
    [last, "lower1", 1],
  ] as const) {
    await ip(place, "address", "add", `${lower.IPv4[index]}/30`, "dev", device);
    await ip(place, "address", "add", `${lower.IPv6[index]}/64`, "dev", device, "nodad");
    await ip(place, "link", "set", device, "up");
  }
}

/** Forwards, spreads by ports, takes what comes by either way, and says every error: by default a router says few a second. */
async function forwardIn(router: NetworkNamespace): Promise<void> {
  for (const [name, value] of [
    ["net.ipv4.ip_forward", "1"],
    ["net.ipv6.conf.all.forwarding", "1"],
    // By addresses, protocol and ports as they stand in the packet: policy 1 takes the sending socket's hash, which no cable carries.
    ["net.ipv4.fib_multipath_hash_policy", "3"],
    ["net.ipv4.fib_multipath_hash_fields", "55"],
    ["net.ipv6.fib_multipath_hash_policy", "3"],
    ["net.ipv6.fib_multipath_hash_fields", "55"],
    ["net.ipv4.conf.all.rp_filter", "0"],
    ["net.ipv4.conf.default.rp_filter", "0"],
    ["net.ipv4.icmp_ratelimit", "0"],
    ["net.ipv6.icmp.ratelimit", "0"],
  ] as const) {
    await router.sysctl(name, value);
  }
}

async function startTarget(target: NetworkNamespace): Promise<() => Promise<void>> {
  const script = 'require("node:net").createServer((s) => s.on("error", () => {})).listen(8080, "::", () => console.log("ready"))';
  const [program, args] = target.command(process.execPath, ["-e", script]);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), ended.then(() => Promise.reject(new Error("the target did not start")))]);
  return async () => {
    child.kill("SIGKILL");
    await ended;
  };
}
