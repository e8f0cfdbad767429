import type { ProxySettings } from "#daemon/proxy.ts";
import type { OtlpWay } from "#daemon/telemetry/delivery.ts";
import { createEgress } from "./egress.ts";
import { createChannelHttp, usualHttpLimits } from "./http-client.ts";

/** To a collector of telemetry, which is the operator's own and may lie in a private network; metadata addresses are refused. */
export function wayToCollector({ proxies }: { readonly proxies: ProxySettings }, nowMs: () => number): OtlpWay {
  const http = createChannelHttp({ egress: createEgress({ mode: "default", allowCidrs: [] }), nowMs, limits: usualHttpLimits, proxies });
  return {
    post: async (url, { headers, bytes }, signal) => http.send({ method: "POST", url, headers, body: bytes }, signal),
    close: () => http.close(),
  };
}
