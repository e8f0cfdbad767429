import type { TracerouteAnswer } from "#contract/checks/traceroute.ts";
import { errorMeaning, unsentError } from "../../net/icmp/icmp-error.ts";
import { hasIPv6Form } from "../../net/ip-address.ts";
import type { ProbeFailure } from "../check-runner.ts";
import { failureFrom } from "../failure.ts";
import type { PathSummary } from "./path-summary.ts";
import { ownAddresses, type Trace } from "./trace.ts";

/** Why the target was not reached; null where it was. */
export function unreached(
  address: string,
  summary: PathSummary,
  { probes, unsentBecause }: Trace,
  timeoutSeconds: number,
): ProbeFailure | null {
  if (summary.destinationReached) return null;
  if (probes.probes.every(({ isVoid }) => isVoid) && unsentBecause !== null)
    return failureFrom(unsentError(address, unsentBecause, "probe"));
  const told = refusalOf(address, summary.refusal, probes.end?.answer.icmp);
  if (told !== null) return told;
  const silence = silenceOf(summary.hops);
  const because = reasons[summary.truncationReason ?? "max_unknown_hops"](timeoutSeconds);
  return { code: "ETIMEDOUT", message: `${address} was not reached: ${silence} (${because})`, side: "target" };
}

const reasons: Readonly<Record<NonNullable<TracerouteAnswer["truncationReason"]>, (timeoutSeconds: number) => string>> = {
  timeout: (timeoutSeconds) => `given up after ${timeoutSeconds} s`,
  max_hops: () => "as far as maxHops goes",
  max_unknown_hops: () => "as many silent hops as maxUnknownHops allows",
  unreachable: () => "somebody on the way refused",
  unsent: () => "this host stopped sending",
};

function refusalOf(
  address: string,
  refusal: TracerouteAnswer["refusal"],
  icmp: { readonly type: number; readonly code: number } | undefined,
): ProbeFailure | null {
  if (refusal === null || icmp === undefined) return null;
  const { code, sentence } = errorMeaning(hasIPv6Form(address) ? 6 : 4, icmp.type, icmp.code);
  const isOwn = refusal.address !== null && ownAddresses().has(refusal.address);
  const who = isOwn ? "this host itself" : (refusal.address ?? "somebody on the way");
  return { code, message: `${address} was not reached: ${sentence}, says ${who}`, side: "target" };
}

function silenceOf(hops: TracerouteAnswer["hops"]): string {
  const last = hops.findLast(({ address }) => address !== null);
  return last === undefined ? "silence from the first hop on" : `silence after hop ${last.hop} (${last.address})`;
}
