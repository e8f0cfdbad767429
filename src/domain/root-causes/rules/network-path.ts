import { comparePaths } from "../../traceroute-path.ts";
import type { Cause } from "../cause.ts";
import { type CauseFacts, ofRun } from "../cause-facts.ts";

const unreachable = new Set(["EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "EMSGSIZE"]);

/** Where on the way it ends: by the path of a traceroute monitor, by the traceroute of a failed run, or by the code. */
export function networkPath(facts: CauseFacts): readonly Cause[] {
  return [...ended(facts), ...traced(facts), ...coded(facts), ...changed(facts), ...lossy(facts)].slice(0, 2);
}

function ended({ failure, good }: CauseFacts): readonly Cause[] {
  const { pathEnd } = failure.seen;
  if (pathEnd === null) return [];
  const last = good.find(({ seen }) => seen.path?.isReached === true);
  return [
    {
      kind: "network",
      text: `The path to the target ends before it: ${pathEnd}. Look at that hop, or at what stands behind it.`,
      confidence: "high",
      evidence: [
        { says: pathEnd, of: ofRun(failure) },
        ...(last === undefined ? [] : [{ says: `the target was reached in ${last.seen.path?.hops.length ?? 0} hops`, of: ofRun(last) }]),
      ],
    },
  ];
}

/** The conclusion of the agent's own traceroute, which tells a filtered port from a dead way. */
function traced({ failure, trace }: CauseFacts): readonly Cause[] {
  if (trace === null || failure.seen.pathEnd !== null) return [];
  const { conclusion, file } = trace;
  if (/^(?:reached|no path was seen)/.test(conclusion) && !/says:/.test(conclusion)) return [];
  const isFiltered = conclusion.endsWith("is filtered");
  return [
    {
      kind: "network",
      text: isFiltered
        ? `Something on the way filters the port: ${conclusion}. Look at firewalls and security groups in front of the target.`
        : `The way to the target is cut: ${conclusion}. Look at that hop, or at what stands behind it.`,
      confidence: "high",
      evidence: [{ says: `traceroute: ${conclusion}`, of: ofRun(failure, file) }],
    },
  ];
}

function coded({ failure, trace }: CauseFacts): readonly Cause[] {
  const { code } = failure.seen;
  if (trace !== null || !unreachable.has(code ?? "")) return [];
  const text =
    code === "EMSGSIZE"
      ? "A packet was too large for the way. Look at the MTU between agent and target."
      : "No route leads to the target: a router or the agent's host said so. Look at routes and firewalls between them.";
  return [{ kind: "network", text, confidence: "high", evidence: [{ says: failure.error ?? `${code}`, of: ofRun(failure) }] }];
}

function changed({ failure, good }: CauseFacts): readonly Cause[] {
  const { path, pathEnd } = failure.seen;
  if (path === null || pathEnd !== null) return [];
  for (const run of good) {
    const compared = run.seen.path === null ? null : comparePaths(run.seen.path, path);
    if (compared === null || compared.is === "incomparable") continue;
    if (compared.is === "same") return [];
    return [
      {
        kind: "network",
        text: `The path to the target changed: ${compared.words}. Ask the network's operator, if the new way is slow or loses packets.`,
        confidence: "medium",
        evidence: [
          { says: compared.words, of: ofRun(failure) },
          { says: "the path before", of: ofRun(run) },
        ],
      },
    ];
  }
  return [];
}

function lossy({ failure, good: [last] }: CauseFacts): readonly Cause[] {
  const { packetLoss } = failure.seen;
  if (packetLoss === null || packetLoss === 0) return [];
  const isAll = packetLoss >= 100;
  return [
    {
      kind: "network",
      text: isAll
        ? "No ping was answered: the host is down or unreachable, or something on the way drops ICMP."
        : `${packetLoss} % of the pings were lost. Look for an overloaded or failing link on the way.`,
      confidence: isAll ? "medium" : "high",
      evidence: [
        { says: `${packetLoss} % lost`, of: ofRun(failure) },
        ...(last === undefined ? [] : [{ says: `${last.seen.packetLoss ?? 0} % lost in the last good run`, of: ofRun(last) }]),
      ],
    },
  ];
}
