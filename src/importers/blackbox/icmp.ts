import { ipFamilyOf, tellOthers } from "./module-fields.ts";
import type { Prober } from "./prober.ts";

/** An ICMP monitor that sends one echo request, as the prober does. */
export const icmpCheckOf: Prober = (importing, module, target) => {
  tellOthers(importing, module, ["preferred_ip_protocol", "ip_protocol_fallback"]);
  return { checkType: "ICMP", request: { hostname: target, pingCount: 1, ...ipFamilyOf(module.settings) } };
};
