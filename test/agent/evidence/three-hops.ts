import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type NetworkNamespace, networkNamespace } from "../../support/namespace.ts";
import type { Outcome, Task } from "./collect-child.ts";

const nodeFlags = ["--disable-warning=ExperimentalWarning", "--conditions=source"];
const withoutRights = ["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];

/** agent - first router - second router - target, each in a namespace of its own; the target listens as target-child says. */
export interface ThreeHops extends AsyncDisposable {
  readonly agent: NetworkNamespace;
  readonly routers: readonly [NetworkNamespace, NetworkNamespace];
  readonly target: NetworkNamespace;
  /** Addresses of what answers at each hop. */
  readonly path: { readonly IPv4: readonly string[]; readonly IPv6: readonly string[] };
  /** Collects evidence in the agent's namespace: as root with every right, or as nobody with none. */
  collect(task: Task, as: "root" | "nobody"): Promise<Outcome>;
}

export async function threeHops(): Promise<ThreeHops> {
  await using made = new AsyncDisposableStack();
  const agent = made.use(await networkNamespace());
  const first = made.use(await networkNamespace({ from: agent }));
  const second = made.use(await networkNamespace({ from: first }));
  const target = made.use(await networkNamespace({ from: second }));
  for (const router of [first, second]) await forwardIn(router);
  // Default routes lead towards the agent; these lead away from it.
  await route(agent, second, first);
  await route(agent, target, first);
  await route(first, target, second);
  made.defer(await startTarget(target));
  // A router that has just come up finds no IPv6 neighbours: its own address is still being tried.
  for (const address of [target.inside.ipv4, target.inside.ipv6]) {
    const { exitCode } = await agent.run("ping", ["-q", "-c", "1", "-w", "10", address]);
    if (exitCode !== 0) throw new Error(`${address} does not answer`);
  }
  const parts = made.move();
  return {
    agent,
    routers: [first, second],
    target,
    path: {
      IPv4: [first.inside.ipv4, second.inside.ipv4, target.inside.ipv4],
      IPv6: [first.inside.ipv6, second.inside.ipv6, target.inside.ipv6].map(shortest),
    },
    async collect(task, as) {
      const words = [...nodeFlags, join(import.meta.dirname, "collect-child.ts"), JSON.stringify(task)];
      const [program, args] = as === "root" ? [process.execPath, words] : ["setpriv", [...withoutRights, process.execPath, ...words]];
      const { stdout, stderr, exitCode } = await agent.run(program, args);
      if (exitCode !== 0) throw new Error(`the collecting child failed: ${stderr}`);
      return JSON.parse(stdout) as Outcome;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** As programs write the address (RFC 5952). */
function shortest(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

async function forwardIn(router: NetworkNamespace): Promise<void> {
  await router.sysctl("net.ipv4.ip_forward", "1");
  await router.sysctl("net.ipv6.conf.all.forwarding", "1");
  // Every answer counts here; by default a router says no more than a few a second.
  await router.sysctl("net.ipv4.icmp_ratelimit", "0");
  await router.sysctl("net.ipv6.icmp.ratelimit", "0");
}

async function route(from: NetworkNamespace, to: NetworkNamespace, via: NetworkNamespace): Promise<void> {
  for (const [family, address, gateway] of [
    ["-4", to.inside.ipv4, via.inside.ipv4],
    ["-6", to.inside.ipv6, via.inside.ipv6],
  ] as const) {
    const { exitCode, stderr } = await from.run("ip", [family, "route", "add", address, "via", gateway]);
    if (exitCode !== 0) throw new Error(`no route to ${address}: ${stderr}`);
  }
}

async function startTarget(target: NetworkNamespace): Promise<() => Promise<void>> {
  const [program, args] = target.command(process.execPath, [...nodeFlags, join(import.meta.dirname, "target-child.ts")]);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), ended.then(() => Promise.reject(new Error("the target did not start")))]);
  return async () => {
    child.kill("SIGKILL");
    await ended;
  };
}
