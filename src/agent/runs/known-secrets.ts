import type { ProxySettings } from "#daemon/proxy.ts";
import type { Secret } from "#daemon/secret.ts";
import { hasCode } from "#domain/app-error.ts";
import { mask } from "#domain/scrub/scrub-stream.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import { sensitiveValues } from "#domain/scrub/sensitive.ts";

/** Everything secret that this process knows now, to be masked in what it tells of itself: logs, error events. */
export interface KnownSecrets {
  /** A key or a token of the agent; the last ones stay known. */
  remember(secret: Secret): Secret;
  /** The secrets of a run, as they are when asked for, until it is over; and a while longer, as an error may come late. */
  hold(secrets: () => readonly string[]): Disposable;
  mask(text: string): string;
}

const rememberedKeys = 20;
const rememberedRuns = 32;
const ownKeys = /\b(?:pl|cu|sv|as)_[0-9a-f]{8,}/gi;

/** @param ofAgent the values of SERVICE_SECRET_* as they are now; the same array until one of them changes */
export function createKnownSecrets(proxies: ProxySettings, ofAgent: () => readonly string[] = () => []): KnownSecrets {
  const ofProxies = proxyPasswords(proxies);
  const keys = new Set<string>();
  const running = new Set<() => readonly string[]>();
  const ended: (readonly string[])[] = [];
  return {
    remember(secret) {
      addLast(keys, secret.reveal());
      return secret;
    },
    hold(secrets) {
      const mine = (): readonly string[] => secrets(); // one of its own for each run
      running.add(mine);
      return {
        [Symbol.dispose]() {
          if (!running.delete(mine)) return;
          const last = secrets();
          if (last.length > 0) ended.push(last);
          if (ended.length > rememberedRuns) ended.shift();
        },
      };
    },
    mask(text) {
      const others = new Set([...keys, ...ofProxies, ...[...running].flatMap((secrets) => secrets()), ...ended.flat()]);
      return masked(text, ofAgent(), [...others.difference(new Set(ofAgent()))]);
    },
  };
}

/** Nothing of the text where there are more secrets than are looked for. */
function masked(text: string, ofAgent: readonly string[], others: readonly string[]): string {
  try {
    return createScrubber(ofAgent, others).scrubText(text).replace(ownKeys, mask);
  } catch (error) {
    if (hasCode(error, "too_large")) return mask;
    throw error;
  }
}

function addLast(values: Set<string>, value: string): void {
  values.delete(value);
  values.add(value);
  const [oldest] = values;
  if (values.size > rememberedKeys && oldest !== undefined) values.delete(oldest);
}

/** As written and decoded, and the pair as it travels. */
function proxyPasswords({ https, http }: ProxySettings): string[] {
  return [https, http].flatMap((proxy) => {
    if (proxy === null) return [];
    const { username, password } = new URL(proxy.reveal());
    const basicAuth = { username: decoded(username), password: decoded(password) };
    return sensitiveValues({ url: "", headers: [], queryParameters: [], basicAuth }, [proxy.reveal()]);
  });
}

/** A `%` that encodes nothing stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
