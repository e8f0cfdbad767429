import { hasIPv6Form } from "../ip-address.ts";
import { ProbeError } from "../probe-error.ts";
import { type EchoPlan, type EchoRun, runEchoes } from "./echo-run.ts";
import { openEchoSocket } from "./echo-socket.ts";
import { icmpAdvice } from "./icmp-ability.ts";
import { kernelStamps } from "./kernel-stamps.ts";
import { runPingProgram } from "./ping-program.ts";

/**
 * Pings an address over the first of these that the host allows: a datagram socket, a raw socket, the system's ping. One
 * socket for each run: one for all runs falsely loses replies when many start together.
 *
 * @throws {ProbeError} ECAPABILITY (side agent) when the host allows none; others as `openEchoSocket` and `runEchoes`
 * @throws the signal's reason
 */
export async function ping(address: string, plan: EchoPlan): Promise<EchoRun> {
  const socket = openEchoSocket(address);
  if (socket !== null) {
    await kernelStamps(() => openEchoSocket("127.0.0.1"));
    return runEchoes(socket, plan);
  }
  const run = await runPingProgram(address, hasIPv6Form(address) ? 6 : 4, plan);
  if (run !== null) return run;
  throw new ProbeError("ECAPABILITY", `the agent may not send ICMP echo requests: ${icmpAdvice}`, { side: "agent" });
}
