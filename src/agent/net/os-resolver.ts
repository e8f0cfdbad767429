import { lookup, lookupService } from "node:dns/promises";
import { isIP } from "node:net";
import { cleanHostName } from "./dns/host-name.ts";
import { withoutZone } from "./ip-address.ts";
import { codeOf } from "./probe-error.ts";
import { type Resolver } from "./resolver.ts";
import { agentFailure, dnsLimitMs, notFound } from "./stub-resolver.ts";

/** For UV_THREADPOOL_SIZE, before the pool is first used; its own 4 threads would give 2 look-ups at once. */
export const poolThreads = 16;
const osLookups = poolThreads / 2;

/**
 * Resolves as other programs of the host do (getaddrinfo: nsswitch, hosts, mDNS …), for USE_OS_DNS_RESOLVER.
 *
 * @param maxCalls look-ups at once. Each holds a thread of libuv's pool until the system gives up. libuv lends getaddrinfo
 *   half of its threads, so that file access goes on; more calls than that would only wait inside it. A part of them is kept
 *   for names that resolved the last time: names without an answer must not hold them all.
 */
export function createOsResolver(maxCalls = osLookups, limitMs = dnsLimitMs): Resolver {
  const seats = new Seats(maxCalls);

  /** A call of libc in a seat, for as long as anybody may wait for it. */
  function seated<T>(host: string, signal: AbortSignal, call: () => Promise<T>, errorOf: (code: string) => Error): Promise<T> {
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
      seats.take(host, async () => {
        if (given.up) return;
        // libc cannot be cancelled: a look-up that was given up keeps its seat until it ends.
        await Promise.try(call).then(
          (found) => {
            seats.trust(host, !given.up);
            end(() => resolve(found));
          },
          (error: unknown) => {
            seats.trust(host, codeOf(error) === "ENOTFOUND" && !given.up);
            end(() => reject(errorOf(codeOf(error))));
          },
        );
      });
    });
  }

  return {
    async resolve(host, family, signal) {
      if (isIP(host) !== 0) return [host];
      const call = () => lookup(host, { family, all: true });
      const found = await seated(host, signal, call, (code) => failureOf(host, family, code, limitMs));
      return [...new Set(found.map(({ address }) => address))]; // glibc also reads "::1 localhost" of /etc/hosts as 127.0.0.1
    },
    async namesOf(address, signal) {
      try {
        const call = () => lookupService(withoutZone(address), 0);
        const { hostname } = await seated(address, signal, call, (code) => agentFailure(address, code, limitMs));
        const name = isIP(hostname) === 0 ? cleanHostName(hostname) : null; // without a name it is the address itself
        return name === null ? [] : [name];
      } catch {
        signal.throwIfAborted();
        return [];
      }
    },
  };
}

function failureOf(host: string, family: 4 | 6, code: string, limitMs: number): Error {
  return code === "ENOTFOUND" || code === "ENODATA" || code === unaskable
    ? notFound(host, family, false)
    : agentFailure(host, code, limitMs);
}

/** What Node.js throws, rather than to reject, for names that nobody can have: empty ones, and those with a NUL. */
const unaskable = "ERR_INVALID_ARG_VALUE";

/** Names that are remembered as answered. */
const maxTrusted = 10_000;

interface Waiting {
  readonly name: string;
  readonly work: () => Promise<void>;
}

/** At most `limit` pieces of work at once, the rest in order; a quarter of the seats is for names that were answered the last time. */
class Seats {
  readonly #trusted = new Set<string>();
  readonly #waiting: Waiting[] = [];
  readonly #forAll: number;
  #free: number;
  #takenByOthers = 0;

  constructor(limit: number) {
    this.#free = limit;
    this.#forAll = Math.max(1, limit - Math.ceil(limit / 4));
  }

  take(name: string, work: () => Promise<void>): void {
    this.#waiting.push({ name, work });
    this.#next();
  }

  /** Whether the name was answered in time. */
  trust(name: string, isAnswered: boolean): void {
    this.#trusted.delete(name);
    if (!isAnswered) return;
    this.#trusted.add(name);
    if (this.#trusted.size > maxTrusted) for (const oldest of this.#trusted) return void this.#trusted.delete(oldest);
  }

  #next(): void {
    if (this.#free === 0) return;
    const at = this.#takenByOthers < this.#forAll ? 0 : this.#waiting.findIndex(({ name }) => this.#trusted.has(name));
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (next === undefined) return;
    const isOther = !this.#trusted.has(next.name);
    this.#free -= 1;
    if (isOther) this.#takenByOthers += 1;
    void next.work().finally(() => {
      this.#free += 1;
      if (isOther) this.#takenByOthers -= 1;
      this.#next();
    });
  }
}
