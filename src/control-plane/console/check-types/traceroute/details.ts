import type { ComparedPath } from "#contract/check-results.ts";
import type { TracerouteAnswer } from "#contract/checks/traceroute.ts";
import { resultSeenTexts } from "../../../texts/result-seen.ts";
import { type Html, html } from "../../../view/html.ts";
import { stateLabel } from "../../../view/state-label.ts";
import { durationText } from "../../../view/units.ts";
import { type Fact, factList, part } from "../../facts.ts";
import type { RunDetails } from "../check-type.ts";
import { drawnPath } from "./drawn-path.ts";

const texts = resultSeenTexts.path;
const noLatency = { avg: null, min: null, max: null, stdDev: null };

/** @param responseTimeMs the target's; null where it was not reached */
export function tracerouteDetails(seen: ComparedPath, responseTimeMs: number | null): RunDetails {
  const { timingPhases } = seen;
  return { shown: () => pathSeen(seen), tookMs: responseTimeMs, phases: timingPhases ?? {}, facts: () => factsOf(seen), scripts: null };
}

function factsOf({ response }: ComparedPath): ReturnType<RunDetails["facts"]> {
  if (response === null) return {};
  const { destinationReached, totalHops, packetLoss, finalHopLatency } = response;
  return {
    json: () => response,
    hopCount: destinationReached ? totalHops : null,
    packetLoss,
    fields: { RESPONSE_TIME: finalHopLatency ?? noLatency },
  };
}

function pathSeen({ request, response, pathChange }: ComparedPath): Html {
  const { url, ipFamily } = request;
  if (response === null) return part(texts.title, factList([[resultSeenTexts.target, texts.unresolved(url, ipFamily)]]));
  const target = texts.ofAddress(response.hostname, response.resolvedIp, response.ipFamily);
  const { probeProtocol, port } = response;
  return part(
    texts.title,
    typeof pathChange === "string" ? html`<p class="box"><strong>${texts.changed}</strong> ${pathChange}</p>` : html``,
    factList([
      [resultSeenTexts.target, html`<span class="address">${target}</span>`],
      [texts.probes, port === null ? probeProtocol : texts.toPort(probeProtocol, port)],
      [texts.outcome, outcomeOf(response)],
      ...targetFacts(response),
    ]),
    drawnPath(response),
  );
}

function outcomeOf({ destinationReached, destinationState, totalHops, truncationReason }: TracerouteAnswer): Html {
  if (!destinationReached) return stateLabel("bad", truncationReason === undefined ? texts.notReached : texts.because[truncationReason]);
  const reached = stateLabel("ok", texts.reached(totalHops, destinationState ?? texts.none));
  return truncationReason === undefined ? reached : html`${reached} <span class="soft">${texts.cutShort}</span>`;
}

function targetFacts({ refusal, destinationReached, packetLoss, finalHopLatency }: TracerouteAnswer): readonly Fact[] {
  const { min, max } = finalHopLatency ?? noLatency;
  return [
    [texts.refusedBy, refusal && texts.refusal(refusal.address ?? texts.somebody, refusal.hop, refusal.says)],
    [texts.lossAtTarget, destinationReached && texts.lossOf(packetLoss)],
    [texts.roundTrip, min !== null && max !== null && texts.fromTo(durationText(min), durationText(max))],
  ];
}
