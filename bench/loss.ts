import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { FakeControlPlane, fakeJob } from "../test/support/fake-control-plane.ts";
import { type NetworkNamespace, networkNamespace, noNamespaces } from "../test/support/namespace.ts";
import { readyAgent, table } from "./support/processes.ts";

/**
 * Whether loss is told as it is: a firewall drops a quarter of the echo requests, by chance and then every fourth, and counts them.
 * ICMP monitors of the real agent and then `ping` meet the same rule. The band is where 99 % of fair samples of that size lie.
 *
 *   npm run build && B bench/loss.ts [monitors of 50 pings, 40]
 */
const monitors = Number(process.argv[2] ?? 40);
const pingCount = 50;
const run = promisify(execFile);
if (noNamespaces !== null) throw new Error(`no firewall: ${noNamespaces}`);

const folder = mkdtempSync(join(tmpdir(), "outpost-loss-"));
await using host = await networkNamespace();
await using controlPlane = await FakeControlPlane.start();
await using _agent = await readyAgent(controlPlane, {
  DATA_DIR: join(folder, "data"),
  JOB_CONCURRENCY: "100",
});

const sent = monitors * pingCount;
const deviation = Math.sqrt((0.25 * 0.75) / sent);
const band = [0.25 - 2.576 * deviation, 0.25 + 2.576 * deviation].map((share) => (share * 100).toFixed(1)).join(" to ");
const rows = [["rule", "who", "sent", "lost", "the rule dropped", "loss %", "band %"]];
for (const rule of ["random", "inc"]) {
  for (const [who, send] of [["Outpost", outpostLoss] as const, ["ping", pingLoss] as const]) {
    await dropAQuarter(host, rule);
    const lost = await send();
    const dropped = (await host.counters())["dropped"]?.packets ?? Number.NaN;
    const expected = rule === "random" ? band : "25.0";
    rows.push([
      rule === "random" ? "one in four, by chance" : "every fourth",
      who,
      String(sent),
      String(lost),
      String(dropped),
      ((lost / sent) * 100).toFixed(2),
      expected,
    ]);
  }
}
console.log(`\n${table(rows)}\n`);
rmSync(folder, { recursive: true, force: true });

async function dropAQuarter(namespace: NetworkNamespace, rule: string): Promise<void> {
  await namespace.run("nft", ["flush", "ruleset"]);
  await namespace.nft(`table inet loss {
  counter dropped { }
  chain input {
    type filter hook input priority 0
    icmp type echo-request numgen ${rule} mod 4 == 0 counter name dropped drop
  }
}
`);
}

async function outpostLoss(): Promise<number> {
  const from = controlPlane.reports.length;
  const settings = {
    request: { hostname: host.inside.ipv4, pingCount },
    degradedPacketLossThreshold: null,
    maxPacketLossThreshold: null,
  };
  controlPlane.enqueue(...Array.from({ length: monitors }, () => fakeJob("", { checkType: "ICMP", settings })));
  await controlPlane.until(() => controlPlane.reports.length >= from + monitors, 60_000);
  const lost = controlPlane.reports.slice(from).map(({ detail }) => {
    const { response } = detail as { response: { packetsSent: number; packetsReceived: number } };
    return response.packetsSent - response.packetsReceived;
  });
  return lost.reduce((sum, one) => sum + one, 0);
}

/** From outside the namespace, as the agent does. */
async function pingLoss(): Promise<number> {
  const args = ["-q", "-n", "-c", String(sent), "-i", "0.01", "-W", "2", host.inside.ipv4];
  const { stdout } = await run("ping", args, { timeout: 120_000 });
  const received = Number(/(\d+) received/.exec(stdout)?.[1]);
  return sent - received;
}
