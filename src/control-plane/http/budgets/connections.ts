import type { Server } from "node:http";
import { networkOf } from "../network-of.ts";

export interface ConnectionLimits {
  readonly total: number;
  readonly address: number;
}

const quietMs = 60_000;

/**
 * Closes what connects beyond the limits, before a byte of it is read. Also a thread without the `source` condition loads this file.
 *
 * @param tell which limit it was, and how many connections are open; once a minute
 */
export function limitConnections(
  server: Server,
  { total, address }: ConnectionLimits,
  tell: (limit: keyof ConnectionLimits, connections: number) => void,
): void {
  const open = new Map<string, number>();
  let all = 0;
  let quietUntilMs = 0;

  const refuse = (limit: keyof ConnectionLimits): void => {
    const nowMs = performance.now();
    if (nowMs < quietUntilMs) return;
    quietUntilMs = nowMs + quietMs;
    tell(limit, all);
  };

  server.on("connection", (socket) => {
    const network = networkOf(socket.remoteAddress ?? "");
    const ofNetwork = (open.get(network) ?? 0) + 1;
    if (all >= total || ofNetwork > address) {
      refuse(all >= total ? "total" : "address");
      socket.destroy();
      return;
    }
    all += 1;
    open.set(network, ofNetwork);
    socket.once("close", () => {
      all -= 1;
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}
