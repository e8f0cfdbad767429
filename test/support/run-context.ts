import { isIP } from "node:net";
import { createEgressPolicy } from "../../src/agent/net/egress-policy.ts";
import type { Resolver } from "../../src/agent/net/resolver.ts";
import { createStubResolver } from "../../src/agent/net/stub-resolver.ts";
import type { RunContext } from "../../src/agent/runners/check-runner.ts";

export const openPolicy = createEgressPolicy({ allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [] });

/** What a runner gets: no proxy, the default policy, a resolver that knows this host's names. */
export function runContext(overrides: Partial<RunContext> = {}): RunContext {
  return {
    signal: new AbortController().signal,
    monotonicMs: () => performance.now(),
    proxyUrl: null,
    resolver: createStubResolver(),
    egress: openPolicy,
    userAgent: "outpost/test",
    ...overrides,
  };
}

/** A resolver that knows these names and literals only; other names fail the test that asks. */
export function fixedResolver(names: Readonly<Record<string, readonly string[]>>): Resolver {
  return {
    resolve(host) {
      const addresses = isIP(host) === 0 ? names[host] : [host];
      return addresses === undefined ? Promise.reject(new Error(`no test asked for ${host}`)) : Promise.resolve([...addresses]);
    },
  };
}

/** The response of an observation that must have one. */
export function responseOf<R>({
  result,
}: {
  readonly result: { readonly response: R; readonly requestError: string | null };
}): NonNullable<R> {
  if (result.response === null || result.response === undefined) throw new Error(`no response: ${result.requestError}`);
  return result.response;
}
