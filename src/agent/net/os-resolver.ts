import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { codeOf } from "./probe-error.ts";
import { agentFailure, dnsLimitMs, notFound, type Resolver } from "./resolver.ts";

/**
 * Resolves as other programs of the host do (getaddrinfo: nsswitch, hosts, mDNS …), for USE_OS_DNS_RESOLVER.
 *
 * @param maxCalls look-ups at once. Each holds a thread of libuv's pool until the system gives up, so keep it below
 *   the pool's size, or slow names stop file access too.
 */
export function createOsResolver(maxCalls: number, limitMs = dnsLimitMs): Resolver {
  const seats = new Seats(maxCalls);
  return {
    resolve(host, family, signal) {
      if (isIP(host) !== 0) return Promise.resolve([host]);
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const end = (settle: () => void): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", onAbort);
          given.up = true;
          settle();
        };
        const given = { up: false };
        const onAbort = (): void => end(() => reject(signal.reason));
        const timer = setTimeout(() => end(() => reject(agentFailure(host, "ETIMEOUT", limitMs))), limitMs);
        signal.addEventListener("abort", onAbort, { once: true });
        seats.take(async () => {
          if (given.up) return;
          // getaddrinfo cannot be cancelled: a look-up that was given up keeps its seat until it ends.
          await lookup(host, { family, all: true }).then(
            (found) => end(() => resolve(found.map(({ address }) => address))),
            (error: unknown) => end(() => reject(failureOf(host, family, codeOf(error), limitMs))),
          );
        });
      });
    },
  };
}

function failureOf(host: string, family: 4 | 6, code: string, limitMs: number): Error {
  return code === "ENOTFOUND" || code === "ENODATA" ? notFound(host, family, false) : agentFailure(host, code, limitMs);
}

/** At most `limit` pieces of work at once, the rest in order. */
class Seats {
  readonly #waiting: (() => Promise<void>)[] = [];
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  take(work: () => Promise<void>): void {
    this.#waiting.push(work);
    this.#next();
  }

  #next(): void {
    if (this.#free === 0) return;
    const work = this.#waiting.shift();
    if (work === undefined) return;
    this.#free -= 1;
    void work().finally(() => {
      this.#free += 1;
      this.#next();
    });
  }
}
