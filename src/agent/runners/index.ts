import type { CheckType, ScriptType } from "#contract/checks/index.ts";
import type { Trust } from "../net/tls.ts";
import { createApiRunner } from "./api/api-runner.ts";
import { createUrlRunner } from "./api/url-runner.ts";
import type { CheckRunner } from "./check-runner.ts";
import { createDnsRunner } from "./dns/dns-runner.ts";
import { createLazyGrpcRunner } from "./grpc/lazy-grpc-runner.ts";
import { createIcmpRunner } from "./icmp/icmp-runner.ts";
import { createSslRunner } from "./ssl/ssl-runner.ts";
import { createTcpRunner } from "./tcp/tcp-runner.ts";
import { createTracerouteRunner } from "./traceroute/traceroute-runner.ts";

/** A check type without a runner does not compile. */
export type Runners = { readonly [T in CheckType]: CheckRunner<T> };

/** Those of checks that are a script come from elsewhere: they need more than a network. */
export type ScriptRunners = Pick<Runners, ScriptType>;

/** @param trust what probes trust */
export function createRunners(trust: Trust, scripts: ScriptRunners): Runners {
  const api = createApiRunner(trust);
  return {
    API: api,
    URL: createUrlRunner(api),
    TCP: createTcpRunner(trust),
    DNS: createDnsRunner(trust),
    ICMP: createIcmpRunner(),
    SSL: createSslRunner(trust),
    GRPC: createLazyGrpcRunner(trust),
    TRACEROUTE: createTracerouteRunner(),
    ...scripts,
  };
}
