import { type EchoSocket, openEchoSocket, type SocketPath } from "./echo-socket.ts";
import { pingProgramWorks } from "./ping-program.ts";

/** How to give an agent the right to ping; said wherever it is missing. */
export const icmpAdvice =
  'set the sysctl net.ipv4.ping_group_range="0 2147483647" for the host, container or pod (Kubernetes counts it as safe), or give it the capability NET_RAW, which containers give to root only';

/** By what this process can ping, best first. */
export interface IcmpAbility {
  readonly path: SocketPath | "ping" | "none";
  /** What to do about `none`. */
  readonly advice: string | null;
}

/** Finds out by trying, in microseconds; only where sockets are refused it starts the system's ping, which blocks for some ms. */
export function icmpAbility(): IcmpAbility {
  const path = socketPath() ?? (pingProgramWorks() ? "ping" : "none");
  return { path, advice: path === "none" ? icmpAdvice : null };
}

function socketPath(): SocketPath | null {
  let socket: EchoSocket | null = null;
  try {
    socket = openEchoSocket("127.0.0.1");
  } catch {
    // Out of descriptors, or without IPv4: then there is none now, whatever the rights.
  }
  socket?.close();
  return socket?.path ?? null;
}
