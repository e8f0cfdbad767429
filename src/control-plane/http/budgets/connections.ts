import type { Server } from "node:http";
import type { Logger } from "#daemon/logger.ts";
import { networkOf } from "../network-of.ts";

export interface ConnectionLimits {
  readonly total: number;
  readonly address: number;
}

const quietMs = 60_000;

/** Closes what connects beyond the limits, before a byte of it is read; one line a minute says so. */
export function limitConnections(server: Server, { total, address }: ConnectionLimits, log: Logger): void {
  const open = new Map<string, number>();
  let all = 0;
  let quietUntilMs = 0;

  const refuse = (limit: string): void => {
    const nowMs = performance.now();
    if (nowMs < quietUntilMs) return;
    quietUntilMs = nowMs + quietMs;
    log.warn({ limit, connections: all }, "connections were closed, as there are too many");
  };

  server.on("connection", (socket) => {
    const network = networkOf(socket.remoteAddress ?? "");
    const ofNetwork = (open.get(network) ?? 0) + 1;
    if (all >= total || ofNetwork > address) {
      refuse(all >= total ? "MAX_CONNECTIONS" : "MAX_CONNECTIONS_PER_ADDRESS");
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
