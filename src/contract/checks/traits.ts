import { type CheckTypeName, checkTypeNames } from "../primitives.ts";
import { agenticTraits } from "./agentic.ts";
import { apiTraits } from "./api.ts";
import { browserTraits } from "./browser.ts";
import type { CheckTraits } from "./check-traits.ts";
import { dnsTraits } from "./dns.ts";
import { grpcTraits } from "./grpc.ts";
import { heartbeatTraits } from "./heartbeat.ts";
import { icmpTraits } from "./icmp.ts";
import { multiStepTraits } from "./multi-step.ts";
import { playwrightTraits } from "./playwright.ts";
import { sslTraits } from "./ssl.ts";
import { tcpTraits } from "./tcp.ts";
import { tracerouteTraits } from "./traceroute.ts";
import { urlTraits } from "./url.ts";

/** Nobody outside of `contract/checks` and the runners asks for the name of a type: what is asked is a trait (ADR 27). */
const checkTraits = {
  AGENTIC: agenticTraits,
  API: apiTraits,
  BROWSER: browserTraits,
  HEARTBEAT: heartbeatTraits,
  ICMP: icmpTraits,
  MULTI_STEP: multiStepTraits,
  TCP: tcpTraits,
  PLAYWRIGHT: playwrightTraits,
  TRACEROUTE: tracerouteTraits,
  URL: urlTraits,
  DNS: dnsTraits,
  SSL: sslTraits,
  GRPC: grpcTraits,
} as const satisfies { readonly [T in CheckTypeName]: CheckTraits };

type Traits = typeof checkTraits;
/** Types with a trait. */
type TypeWith<Name extends keyof CheckTraits, Value> = {
  [T in CheckTypeName]: Traits[T][Name] extends Value ? T : never;
}[CheckTypeName];
export type PingedType = TypeWith<"results", "pings">;

export function traitsOf(type: CheckTypeName): CheckTraits {
  return checkTraits[type];
}

export const pingedTypes: readonly CheckTypeName[] = checkTypeNames.filter(isPinged);
/** Types whose target is a URL. */
export const httpTypes: readonly CheckTypeName[] = checkTypeNames.filter((type) => traitsOf(type).request === "http");

/** What is pinged runs nowhere: it has no locations, no schedule and no retries. */
export function isPinged(type: CheckTypeName): type is PingedType {
  return traitsOf(type).results === "pings";
}

export function isPingedCheck<Check extends { readonly checkType: CheckTypeName }>(
  check: Check,
): check is Extract<Check, { readonly checkType: PingedType }> {
  return isPinged(check.checkType);
}

/** Whether a check is a project of tests, each of which is told by itself. */
export function isSuite(type: CheckTypeName): boolean {
  return traitsOf(type).scripts === "project";
}
