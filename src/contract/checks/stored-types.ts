import type { z } from "zod";
import type { CheckTypeName } from "../primitives.ts";
import { agenticCheck } from "./agentic.ts";
import { apiCheck } from "./api.ts";
import { browserCheck } from "./browser.ts";
import { dnsCheck } from "./dns.ts";
import { grpcCheck } from "./grpc.ts";
import { heartbeatCheck } from "./heartbeat.ts";
import { icmpCheck } from "./icmp.ts";
import { multiStepCheck } from "./multi-step.ts";
import { playwrightCheck } from "./playwright.ts";
import { sslCheck } from "./ssl.ts";
import { tcpCheck } from "./tcp.ts";
import { tracerouteCheck } from "./traceroute.ts";
import { urlCheck } from "./url.ts";

/** The schemas of every check type that can be stored. Those that agents run are the keys of `checkTypes` too. */
export const storedCheckTypes = {
  AGENTIC: agenticCheck,
  API: apiCheck,
  BROWSER: browserCheck,
  HEARTBEAT: heartbeatCheck,
  ICMP: icmpCheck,
  MULTI_STEP: multiStepCheck,
  TCP: tcpCheck,
  PLAYWRIGHT: playwrightCheck,
  TRACEROUTE: tracerouteCheck,
  URL: urlCheck,
  DNS: dnsCheck,
  SSL: sslCheck,
  GRPC: grpcCheck,
} as const satisfies { readonly [T in CheckTypeName]: { readonly title: string } };

type Stored = typeof storedCheckTypes;

/** Body of a creation, defaults filled in; also the whole of a check that is stored. */
export type CheckCreate<T extends CheckTypeName = CheckTypeName> = z.output<Stored[T]["create"]>;
/** Body of a partial update. */
export type CheckUpdate<T extends CheckTypeName = CheckTypeName> = z.output<Stored[T]["update"]>;
