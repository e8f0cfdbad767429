import type { Dispatcher } from "undici";
import { type ProxySettings, proxyFor } from "#daemon/proxy.ts";
import { createProxyDispatcher, type ProxyDispatcherOptions } from "#daemon/proxy-dispatcher.ts";

/** Dispatchers through the proxies of the installation, each made when it is first needed. */
export interface ProxyDispatchers {
  /** Null: the way to it is direct. */
  to(target: URL): Dispatcher | null;
  close(): Promise<void>;
}

export function createProxyDispatchers(proxies: ProxySettings, options: ProxyDispatcherOptions): ProxyDispatchers {
  const known = new Map<string, Dispatcher>();
  return {
    to(target) {
      const proxy = proxyFor(target, proxies);
      if (proxy === null) return null;
      const made = known.get(proxy.reveal()) ?? createProxyDispatcher(proxy, options);
      known.set(proxy.reveal(), made);
      return made;
    },
    close: async () => void (await Promise.all([...known.values()].map((one) => one.destroy()))),
  };
}
