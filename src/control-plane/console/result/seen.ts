import type { CheckResult } from "#contract/check-results.ts";
import { type Html, html } from "../../pages/html.ts";
import { certificateSeen } from "./certificate-seen.ts";
import { dnsSeen } from "./dns-seen.ts";
import { httpSeen } from "./http-seen.ts";
import { pingSeen } from "./ping-seen.ts";
import { tcpSeen } from "./tcp-seen.ts";

/** What an attempt sent and what it saw, by the type of its check. Members of types that do not run yet are always null. */
export function seen(result: CheckResult): Html {
  const { apiCheckResult, tcpCheckResult, dnsCheckResult, icmpCheckResult, sslCheckResult } = result;
  if (apiCheckResult !== null) return httpSeen(apiCheckResult);
  if (tcpCheckResult !== null) return tcpSeen(tcpCheckResult);
  if (dnsCheckResult !== null) return dnsSeen(dnsCheckResult);
  if (icmpCheckResult !== null) return pingSeen(icmpCheckResult);
  return sslCheckResult === null ? html`` : certificateSeen(sslCheckResult);
}
