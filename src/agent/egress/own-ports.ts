import type { Socket } from "node:net";
import { Refused } from "./refusal.ts";

/** Servers of one run at a time. */
const mostServers = 32;
/** Where a program wants any port: from here up. */
const firstAnyPort = 40_000;
const lastPort = 65_535;
/** A server that does not take a connection for so long does not answer. */
const takeLimitMs = 10_000;

interface Waiting {
  readonly control: Socket;
  readonly take: (socket: Socket) => void;
  readonly giveUp: (reason: Error) => void;
}

/**
 * Ports on which programs of a run listen, which are nobody else's: no socket listens anywhere. A program keeps a connection to its proxy and
 * is told there of each that somebody of the same run wants; it comes for it with another one.
 */
export class OwnPorts {
  readonly #servers = new Map<number, Socket>();
  readonly #waiting = new Map<string, Waiting>();
  #last = 0;

  /** @param port 0: any @returns the port @throws {Refused} EADDRINUSE, EMFILE */
  listen(port: number, control: Socket): number {
    if (this.#servers.size >= mostServers) throw new Refused(409, "EMFILE", `a run has at most ${mostServers} servers`);
    const taken = port === 0 ? this.#anyPort() : port;
    if (this.#servers.has(taken)) throw new Refused(409, "EADDRINUSE", `a server of this run listens on port ${taken}`);
    this.#servers.set(taken, control);
    control.once("end", () => control.destroy()).once("close", () => this.#forget(taken, control));
    control.resume(); // it has nothing to say but its end
    return taken;
  }

  /** A server comes for a connection. @throws {Refused} where nobody waits for it any more */
  take(id: string, socket: Socket): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) throw new Refused(409, "ECONNABORTED", "nobody waits for this connection any more");
    this.#waiting.delete(id);
    waiting.take(socket);
  }

  /** A connection to a server of the same run; null where none listens there. @throws the signal's reason, or that it does not answer */
  async open(host: string, port: number, signal: AbortSignal): Promise<Socket | null> {
    const control = isLoopback(host) ? this.#servers.get(port) : undefined;
    if (control === undefined) return null;
    this.#last += 1;
    const id = String(this.#last);
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const either = AbortSignal.any([signal, AbortSignal.timeout(takeLimitMs)]);
    const give = (): void => reject(either.reason);
    either.addEventListener("abort", give, { once: true });
    this.#waiting.set(id, { control, take: resolve, giveUp: reject });
    try {
      control.write(`${id}\n`);
      return await promise;
    } finally {
      either.removeEventListener("abort", give);
      this.#waiting.delete(id);
    }
  }

  #forget(port: number, control: Socket): void {
    this.#servers.delete(port);
    const refused = new Refused(502, "ECONNREFUSED", `no server of this run listens on port ${port} any more`);
    for (const waiting of this.#waiting.values()) if (waiting.control === control) waiting.giveUp(refused);
  }

  #anyPort(): number {
    for (let port = firstAnyPort; port <= lastPort; port += 1) if (!this.#servers.has(port)) return port;
    throw new Refused(409, "EADDRINUSE", "no port is free");
  }
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|::1|::|0\.0\.0\.0|::ffff:127(?:\.\d{1,3}){3})\.?$/i.test(host);
}
