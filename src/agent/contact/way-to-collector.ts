import { proxyFor } from "#daemon/proxy.ts";
import type { OtlpWay } from "#daemon/telemetry/delivery.ts";
import type { AgentConfig } from "../config.ts";
import type { TrustStore } from "../host/extra-ca.ts";
import { createControlPlaneClient } from "./control-plane-client.ts";
import { createRenewedClient } from "./renewed-client.ts";

/** The agent's way to a collector of telemetry: through its proxy and with its authorities, as to the control plane. */
export function wayToCollector(
  { collector, proxy }: Pick<AgentConfig, "collector" | "proxy">,
  trustStore: Pick<TrustStore, "extraCas">,
): OtlpWay {
  const base = new URL(collector?.endpoint ?? "http://localhost");
  const origin = new URL(base.origin);
  const client = createRenewedClient(
    (extraCas) => createControlPlaneClient(origin, proxyFor(origin, proxy), extraCas),
    trustStore.extraCas,
  );
  return {
    async post(url, { headers, bytes, limitMs }, signal) {
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const reply = await client.send({ method: "POST", path: url.pathname, headers, body, limitMs }, signal);
      const wish = Number(reply.headers["retry-after"]);
      return { status: reply.status, retryAfterMs: Number.isFinite(wish) ? wish * 1000 : undefined };
    },
    close: () => client.close(),
  };
}
