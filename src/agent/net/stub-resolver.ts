import { isIP } from "node:net";
import { followAliases } from "./dns/alias-chain.ts";
import { askInTurn, type Tried, type Turn } from "./dns/ask-in-turn.ts";
import type { Question } from "./dns/message.ts";
import { plainServer, serverName } from "./dns/name-server.ts";
import { typeNumber } from "./dns/registry.ts";
import { ServerOrder } from "./dns/server-order.ts";
import { type HostsFile, hostsFile } from "./hosts-file.ts";
import { codeOf, ProbeError } from "./probe-error.ts";
import { type Resolver } from "./resolver.ts";
import { candidateNames, type ResolverSettings, resolverSettingsFile } from "./resolver-settings.ts";

/** How long a look-up may take in all, every search domain and server included (ms). */
export const dnsLimitMs = 5_000;

export interface StubResolverOptions {
  /** `address` or `address:port`; default: those of resolv.conf. */
  readonly servers?: readonly string[];
  readonly hostsPath?: string;
  readonly resolvConfPath?: string;
  readonly limitMs?: number;
  /** How long one server may take before the next is asked; default: what resolv.conf says, or 2 s. */
  readonly tryMs?: number;
}

/** What a name came to: addresses, "there is none" (target), or why nobody could say (agent). */
type Outcome =
  | { readonly is: "addresses"; readonly addresses: string[] }
  | { readonly is: "missing"; readonly nameExists: boolean }
  | { readonly is: "unanswered"; readonly tried: readonly Tried[] };

const defaultTryMs = 2_000;

/**
 * A stub resolver of our own: literals, hosts file, `localhost`, then DNS with search domains (glibc's rules), the next
 * server after a failure or silence. Not getaddrinfo, which queues look-ups behind a few threads; and without a cache, since
 * the look-up is part of what a check measures. A server that failed is asked last until it answers again, so that a dead one
 * does not lengthen every look-up.
 */
export function createStubResolver(options: StubResolverOptions = {}): Resolver {
  const hosts: () => HostsFile = hostsFile(options.hostsPath ?? "/etc/hosts");
  const settings: () => ResolverSettings = resolverSettingsFile(options.resolvConfPath ?? "/etc/resolv.conf");
  const lookUps = new LookUps(options);
  return {
    async resolve(host, family, signal) {
      if (isIP(host) !== 0) return [host];
      signal.throwIfAborted();
      // Escapes of zone files would spell another name than the one that the egress policy was asked about.
      if (host.includes("\\")) throw notFound(host, family, false);
      const bare = host.toLowerCase().replace(/\.$/, "");
      const listed = hosts().get(bare)?.[family];
      if (listed !== undefined && listed.length > 0) return [...listed];
      if (bare === "localhost" || bare.endsWith(".localhost")) return [family === 4 ? "127.0.0.1" : "::1"];
      return lookUps.addressesOf(host, family, settings(), signal);
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

/** Look-ups over DNS; they share only what they learn of the servers. */
class LookUps {
  readonly #options: StubResolverOptions;
  readonly #limitMs: number;
  readonly #order = new ServerOrder();

  constructor(options: StubResolverOptions) {
    this.#options = options;
    this.#limitMs = options.limitMs ?? dnsLimitMs;
  }

  /** @param host as it was given: what is masked in messages is found in that form only */
  async addressesOf(host: string, family: 4 | 6, settings: ResolverSettings, signal: AbortSignal): Promise<string[]> {
    const endsAtMs = performance.now() + this.#limitMs;
    let nameExists = false;
    let failed: readonly Tried[] | null = null;
    for (const candidate of candidateNames(host.toLowerCase(), settings)) {
      const outcome = await this.#outcomeOf(candidate, family, settings, endsAtMs, signal).catch(noSuchName);
      if (outcome.is === "addresses") return outcome.addresses;
      if (outcome.is === "missing") nameExists ||= outcome.nameExists;
      else {
        failed ??= outcome.tried;
        // Servers that fail at one search domain may know the next name; silent ones would only use up the time.
        if (outcome.tried.length === 0 || outcome.tried.some(({ reply }) => reply === null)) break;
      }
    }
    throw failed === null ? notFound(host, family, nameExists) : unanswered(host, failed, this.#limitMs);
  }

  /** Asks for one name, and for what it is an alias of. */
  async #outcomeOf(name: string, family: 4 | 6, settings: ResolverSettings, endsAtMs: number, signal: AbortSignal): Promise<Outcome> {
    const type = typeNumber(family === 4 ? "A" : "AAAA");
    const seen = new Set<string>();
    for (let asked = name; ; ) {
      const { reply, tried } = await this.#ask({ name: asked, type }, settings, endsAtMs - performance.now(), signal);
      if (reply === null) return { is: "unanswered", tried };
      const end = followAliases(reply.message, type, seen);
      if (end.is !== "elsewhere") return end;
      asked = end.name;
    }
  }

  async #ask(question: Question, settings: ResolverSettings, limitMs: number, signal: AbortSignal): Promise<Turn> {
    const { servers = settings.servers, tryMs = settings.timeoutMs ?? defaultTryMs } = this.#options;
    const transport = settings.usesTcp ? "TCP" : "UDP";
    const once = this.#order.of(
      servers.map((server) => plainServer(server, transport)),
      settings.rotates,
    );
    const rounds = Array.from({ length: settings.attempts }, () => once).flat();
    const turn = await askInTurn(rounds, question, { limitMs, tryMs }, { signal, monotonicMs });
    this.#order.learn(turn);
    return turn;
  }
}

/** A name that cannot be asked for does not exist: it may be a search domain that makes it too long. */
function noSuchName(error: unknown): Outcome {
  if (codeOf(error) !== "EBADNAME") throw error;
  return { is: "missing", nameExists: false };
}

const monotonicMs = (): number => performance.now();

function unanswered(host: string, tried: readonly Tried[], limitMs: number): ProbeError {
  if (tried.every(({ code }) => code === "ETIMEDOUT")) {
    const asked = [...new Set(tried.map(({ server }) => serverName(server)))].join(", ");
    return new ProbeError("ETIMEDOUT", `DNS: no server answered for ${host} (asked ${asked || "nobody"}; limit ${limitMs} ms)`, {
      side: "agent",
    });
  }
  const reasons = [...new Set(tried.map(({ code, server }) => `${code} from ${serverName(server)}`))].join(", ");
  return new ProbeError("EDNS", `DNS: no server could answer for ${host} (${reasons})`, { side: "agent" });
}
