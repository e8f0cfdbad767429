import type { CheckTypeName } from "#contract/primitives.ts";
import { agentic } from "./agentic/index.ts";
import { api } from "./api/index.ts";
import { browser } from "./browser/index.ts";
import type { CheckTypeInConsole } from "./check-type.ts";
import { dns } from "./dns/index.ts";
import { grpc } from "./grpc/index.ts";
import { heartbeat } from "./heartbeat/index.ts";
import { icmp } from "./icmp/index.ts";
import { multiStep } from "./multi-step/index.ts";
import { playwright } from "./playwright/index.ts";
import { ssl } from "./ssl/index.ts";
import { tcp } from "./tcp/index.ts";
import { traceroute } from "./traceroute/index.ts";
import { url } from "./url/index.ts";

/**
 * Every check type, in the order in which people choose among them: those that agents run and heartbeats first. A type that is absent here,
 * or that leaves out a part, does not compile.
 */
export const checkTypesInConsole: { readonly [T in CheckTypeName]: CheckTypeInConsole<T> } = {
  URL: url,
  API: api,
  TCP: tcp,
  DNS: dns,
  ICMP: icmp,
  SSL: ssl,
  HEARTBEAT: heartbeat,
  BROWSER: browser,
  MULTI_STEP: multiStep,
  PLAYWRIGHT: playwright,
  AGENTIC: agentic,
  GRPC: grpc,
  TRACEROUTE: traceroute,
};
