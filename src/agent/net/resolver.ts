import { Resolver as CaresResolver } from "node:dns";
import { isIP } from "node:net";
import { type HostsFile, hostsFile } from "./hosts-file.ts";
import { codeOf, ProbeError } from "./probe-error.ts";
import { candidateNames, type ResolverSettings, resolverSettingsFile } from "./resolver-settings.ts";

/** Names to addresses. A literal address resolves to itself, whatever the family. */
export interface Resolver {
  /**
   * At least one address, in the order to try them.
   * @throws {ProbeError} ENOTFOUND (side target) when there is no such name or no such address; EDNS or ETIMEDOUT
   *   (side agent) when no server could say
   * @throws the signal's reason
   */
  resolve(host: string, family: 4 | 6, signal: AbortSignal): Promise<string[]>;
}

/** How long a look-up may take in all, every search domain and server included (ms). */
export const dnsLimitMs = 5_000;

export interface StubResolverOptions {
  /** `address` or `address:port`; default: those of resolv.conf. */
  readonly servers?: readonly string[];
  readonly hostsPath?: string;
  readonly resolvConfPath?: string;
  readonly limitMs?: number;
  /** How long one server may take before the next is asked. */
  readonly tryMs?: number;
}

/** What a question came to: addresses, "there is none" (target), or why nobody could say (agent). */
type Outcome = { readonly addresses: string[] } | { readonly missing: string } | { readonly unanswered: string };

/**
 * A stub resolver of our own: literals, hosts file, `localhost`, then DNS with search domains (glibc's rules), the next
 * server after a failure or silence. Not getaddrinfo, which queues look-ups behind a few threads. A server that answered
 * is asked first the next time, so that a dead one does not lengthen every look-up.
 */
export function createStubResolver(options: StubResolverOptions = {}): Resolver {
  const hosts: () => HostsFile = hostsFile(options.hostsPath ?? "/etc/hosts");
  const settings: () => ResolverSettings = resolverSettingsFile(options.resolvConfPath ?? "/etc/resolv.conf");
  const limitMs = options.limitMs ?? dnsLimitMs;
  const channels = new ServerChannels(options.tryMs ?? 2_000);

  async function lookUp(name: string, family: 4 | 6, signal: AbortSignal): Promise<string[]> {
    const found = settings();
    const servers = options.servers ?? found.servers;
    const endsAtMs = performance.now() + limitMs;
    let missing = "ENOTFOUND";
    for (const candidate of candidateNames(name, found)) {
      const outcome = await channels.ask(candidate, family, servers, endsAtMs, signal);
      if ("addresses" in outcome) return outcome.addresses;
      if ("unanswered" in outcome) throw agentFailure(name, outcome.unanswered, limitMs);
      if (outcome.missing === "ENODATA") missing = "ENODATA";
    }
    throw notFound(name, family, missing === "ENODATA");
  }

  return {
    async resolve(host, family, signal) {
      if (isIP(host) !== 0) return [host];
      signal.throwIfAborted();
      const name = host.toLowerCase();
      const bare = name.endsWith(".") ? name.slice(0, -1) : name;
      const listed = hosts().get(bare)?.[family];
      if (listed !== undefined && listed.length > 0) return listed;
      if (bare === "localhost" || bare.endsWith(".localhost")) return [family === 4 ? "127.0.0.1" : "::1"];
      return lookUp(name, family, signal);
    },
  };
}

/** @internal shared with the resolver of the host */
export function notFound(host: string, family: 4 | 6, nameExists: boolean): ProbeError {
  return new ProbeError(
    "ENOTFOUND",
    nameExists ? `${host} has no IPv${family} address` : `there is no host ${host} with an IPv${family} address`,
  );
}

/** @internal shared with the resolver of the host */
export function agentFailure(host: string, why: string, limitMs: number): ProbeError {
  if (why === "ETIMEOUT")
    return new ProbeError("ETIMEDOUT", `DNS: no server answered for ${host} (limit ${limitMs} ms)`, { side: "agent" });
  return new ProbeError("EDNS", `DNS: no server could answer for ${host} (${why})`, { side: "agent" });
}

/** One c-ares channel per server, because a channel's own fail-over hides which server failed and why. */
class ServerChannels {
  readonly #tryMs: number;
  readonly #channels = new Map<string, CaresResolver>();
  #lastGood = "";

  constructor(tryMs: number) {
    this.#tryMs = tryMs;
  }

  /** Asks one server after another, at least twice in all, until one says something about the name. */
  async ask(name: string, family: 4 | 6, servers: readonly string[], endsAtMs: number, signal: AbortSignal): Promise<Outcome> {
    let why = "ETIMEOUT";
    for (const server of this.#order(servers)) {
      const restMs = endsAtMs - performance.now();
      if (restMs <= 0) return { unanswered: "ETIMEOUT" };
      const outcome = await this.#query(server, name, family, Math.min(restMs, this.#tryMs), signal);
      if (!("unanswered" in outcome)) {
        this.#lastGood = server;
        return outcome;
      }
      why = outcome.unanswered;
    }
    return { unanswered: why };
  }

  #order(servers: readonly string[]): readonly string[] {
    const [only] = servers;
    if (servers.length === 1 && only !== undefined) return [only, only];
    return servers.includes(this.#lastGood) ? [this.#lastGood, ...servers.filter((server) => server !== this.#lastGood)] : servers;
  }

  #channel(server: string): CaresResolver {
    let channel = this.#channels.get(server);
    if (channel === undefined) {
      channel = new CaresResolver({ timeout: this.#tryMs, maxTimeout: this.#tryMs, tries: 1 });
      channel.setServers([server]);
      this.#channels.set(server, channel);
    }
    return channel;
  }

  /** A query cannot be cancelled alone: one that is given up ends by c-ares' own time-out and its answer is dropped. */
  #query(server: string, name: string, family: 4 | 6, limitMs: number, signal: AbortSignal): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const timer = setTimeout(() => resolve({ unanswered: "ETIMEOUT" }), limitMs);
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const onAnswer = (error: Error | null, addresses: string[]): void => resolve(error === null ? { addresses } : outcomeOf(codeOf(error)));
    if (family === 6) this.#channel(server).resolve6(name, onAnswer);
    else this.#channel(server).resolve4(name, onAnswer);
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    });
  }
}

function outcomeOf(code: string): Outcome {
  if (code === "ENOTFOUND" || code === "ENODATA") return { missing: code };
  return code === "EBADNAME" ? { missing: "ENOTFOUND" } : { unanswered: code };
}
