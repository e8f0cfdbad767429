import type { Turn } from "./ask-in-turn.ts";
import { type NameServer, serverName } from "./name-server.ts";

/** In which order servers are asked: as configured, or another first each time; those that failed last, until they answer. */
export class ServerOrder {
  readonly #failing = new Set<string>();
  #turns = 0;

  of(servers: readonly NameServer[], rotates: boolean): NameServer[] {
    const first = rotates && servers.length > 0 ? this.#turns++ % servers.length : 0;
    const inTurn = [...servers.slice(first), ...servers.slice(0, first)];
    if (this.#failing.size === 0) return inTurn;
    const isFailing = (server: NameServer): boolean => this.#failing.has(serverName(server));
    return [...inTurn.filter((server) => !isFailing(server)), ...inTurn.filter(isFailing)];
  }

  /** Where no server could answer there is nothing to prefer. */
  learn({ reply, tried }: Turn): void {
    if (reply === null) return;
    for (const { server } of tried) this.#failing.add(serverName(server));
    this.#failing.delete(serverName(reply.server));
  }
}
