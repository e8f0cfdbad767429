import type { Cause } from "../cause.ts";
import { type CauseFacts, listWords, msWords, ofRun, usualOf } from "../cause-facts.ts";
import type { Phase } from "../phases.ts";

/** A run that passed, and still was not as it should be: its script said so, or it took longer than the others. */
export function degradation(facts: CauseFacts): readonly Cause[] {
  return facts.standing === "degraded" ? [...marked(facts), ...slower(facts)] : [];
}

function marked({ failure }: CauseFacts): readonly Cause[] {
  const { degradedBy } = failure.seen;
  if (degradedBy.length === 0) return [];
  return [
    {
      kind: "script",
      text: `The script marked the run as degraded: ${listWords(degradedBy, 3)}.`,
      confidence: "high",
      evidence: degradedBy.map((says) => ({ says, of: ofRun(failure) })),
    },
  ];
}

/** So much longer than usual is more than chance. */
const [leastFactor, leastGrowthMs, most] = [1.3, 20, 0.5];

function slower({ failure, good }: CauseFacts): readonly Cause[] {
  const usual = usualOf(good.map(({ responseTimeMs }) => responseTimeMs));
  const [last] = good;
  if (usual === null || last === undefined) return [];
  const grewMs = failure.responseTimeMs - usual;
  if (failure.responseTimeMs < leastFactor * usual || grewMs < leastGrowthMs) return steady(failure, usual, last);
  const grown = mostGrown(failure, good);
  const times = `${msWords(failure.responseTimeMs)}, where good runs took ${msWords(usual)}`;
  const isPhase = grown !== null && grown.phase.ms - grown.usualMs >= most * grewMs;
  const why = isPhase
    ? ` ${nameOf(grown.phase)} took ${msWords(grown.phase.ms)} instead of ${msWords(grown.usualMs)}. ${adviceFor(grown.phase)}`
    : " No single part of it grew most: look at the load of the target and of the agent.";
  return [
    {
      kind: "slow",
      text: `It took ${times}.${why}`,
      confidence: isPhase ? "high" : "medium",
      evidence: [
        {
          says: isPhase ? `${nameOf(grown.phase)}: ${msWords(grown.phase.ms)}` : `took ${msWords(failure.responseTimeMs)}`,
          of: ofRun(failure),
        },
        {
          says: isPhase ? `${nameOf(grown.phase)}: usually ${msWords(grown.usualMs)}` : `took ${msWords(last.responseTimeMs)}`,
          of: ofRun(last),
        },
      ],
    },
  ];
}

/** It is as slow as it always was, so the limit is what is close. */
function steady(failure: CauseFacts["failure"], usual: number, last: CauseFacts["failure"]): readonly Cause[] {
  const { degradedBy, certificate, packetLoss } = failure.seen;
  if (failure.error !== null || degradedBy.length > 0 || certificate?.isSubject === true || (packetLoss ?? 0) > 0) return [];
  return [
    {
      kind: "slow",
      text: `It took ${msWords(failure.responseTimeMs)}, hardly more than good runs (${msWords(usual)}): the limit is close to what is usual. Raise it, if that is fast enough.`,
      confidence: "medium",
      evidence: [
        { says: `took ${msWords(failure.responseTimeMs)}`, of: ofRun(failure) },
        { says: `took ${msWords(last.responseTimeMs)}`, of: ofRun(last) },
      ],
    },
  ];
}

interface Grown {
  readonly phase: Phase;
  readonly usualMs: number;
}

/** Of parts that good runs have, too. A step that is done several times is held against its longest. */
function mostGrown({ seen }: CauseFacts["failure"], good: CauseFacts["good"]): Grown | null {
  const grown = longest(seen.phases).flatMap((phase): Grown[] => {
    const usualMs = usualOf(good.flatMap((run) => longest(run.seen.phases).find(({ name }) => name === phase.name)?.ms ?? []));
    return usualMs === null ? [] : [{ phase, usualMs }];
  });
  return grown.toSorted((a, b) => b.phase.ms - b.usualMs - (a.phase.ms - a.usualMs))[0] ?? null;
}

function longest(phases: readonly Phase[]): readonly Phase[] {
  const byName = new Map<string, Phase>();
  for (const phase of phases) if (phase.ms >= (byName.get(phase.name)?.ms ?? 0)) byName.set(phase.name, phase);
  return [...byName.values()];
}

const service = "The service itself became slower: look at its load, its database and at what it waits for.";
const network = "Look at the network path to the target, and at the load of its host.";
const names = "Look at the name servers, and at the network to them.";
const handshake = "Look at the load of the server, and at its TLS settings.";

/** What each part is called, and where to look when it grew. */
const parts: Readonly<Record<string, readonly [name: string, advice: string]>> = {
  dns: ["The name lookup", names],
  query: ["The DNS query", names],
  names: ["Looking up the names of the hops", names],
  tcp: ["Connecting", network],
  connection: ["Connecting", network],
  trace: ["Tracing the path", network],
  tls: ["The TLS handshake", handshake],
  handshake: ["The TLS handshake", handshake],
  startTls: ["STARTTLS", handshake],
  firstByte: ["The wait for the first byte", service],
  data: ["The wait for the answer", service],
  reflection: ["Asking the server for its descriptors", service],
  download: ["The download of the answer", "The answer became larger, or the network slower."],
};

function nameOf({ name, isStep }: Phase): string {
  return isStep ? `The step “${name}”` : (parts[name]?.[0] ?? name);
}

function adviceFor({ name, isStep }: Phase): string {
  return isStep ? "Look at the page and the requests of this step in both runs." : (parts[name]?.[1] ?? service);
}
