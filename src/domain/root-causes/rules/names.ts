import type { Cause } from "../cause.ts";
import { type CauseFacts, listWords, ofRun } from "../cause-facts.ts";

/** The name does not exist, its name servers do not answer, or it answers something else than before. */
export function names(facts: CauseFacts): readonly Cause[] {
  return [...missing(facts), ...unanswered(facts), ...changedRecords(facts)].slice(0, 1);
}

function missing({ check, failure, good: [last] }: CauseFacts): readonly Cause[] {
  const { code, dns } = failure.seen;
  if (code !== "ENOTFOUND" && dns?.code !== "NXDOMAIN") return [];
  const name = check.host ?? "The name";
  const was = last === undefined ? "" : ", and it did in the last good run";
  return [
    {
      kind: "name",
      text: `${name} does not exist in DNS or has no address${was}. Check the zone, the spelling, and whether the domain has expired.`,
      confidence: "high",
      evidence: [
        { says: dns === null ? "the look-up found no such name" : `${dns.server} answered ${dns.code}`, of: ofRun(failure) },
        ...(last === undefined ? [] : [{ says: "the name was found", of: ofRun(last) }]),
      ],
    },
  ];
}

const unusable = new Set(["EDNS", "EDNSFORMAT", "EDNSHTTP"]);

function unanswered(facts: CauseFacts): readonly Cause[] {
  const text = unansweredText(facts);
  const { failure } = facts;
  return text === null
    ? []
    : [{ kind: "name", text, confidence: "high", evidence: [{ says: failure.error ?? "the look-up failed", of: ofRun(failure) }] }];
}

function unansweredText({ failure }: CauseFacts): string | null {
  const { code, dns, endedIn } = failure.seen;
  if (code === "ECNAMELOOP") return "The aliases (CNAME) of the name lead in a circle. Correct the zone.";
  const told = (what: string): string => `The name servers ${what}. Look at the name servers, and at the network to them.`;
  if (dns !== null && dns.code !== "NOERROR" && dns.code !== "") return told(`answered ${dns.code}`);
  if (unusable.has(code ?? "")) return told("gave no usable answer");
  return code === "ETIMEDOUT" && endedIn === "dns" ? told("did not answer in time") : null;
}

function changedRecords({ failure, good }: CauseFacts): readonly Cause[] {
  const now = failure.seen.dns;
  const known = good.flatMap((run) => (run.seen.dns === null ? [] : [{ run, answers: run.seen.dns.answers }]));
  const [last] = known;
  if (now === null || last === undefined) return [];
  const gone = last.answers.filter((one) => !now.answers.includes(one));
  const come = now.answers.filter((one) => !last.answers.includes(one));
  if (gone.length === 0 && come.length === 0) return [];
  const isRotation = come.length > 0 && known.some(({ answers }) => come.every((one) => answers.includes(one)));
  return [
    {
      kind: "name",
      text: `The DNS answer changed: it has ${changeWords(come, gone)}. If nobody meant that, look at who changed the zone.`,
      confidence: isRotation ? "low" : "high",
      evidence: [
        { says: `${now.server} answered ${listWords(now.answers, 4) || "nothing"}`, of: ofRun(failure) },
        { says: `the last good answer was ${listWords(last.answers, 4) || "empty"}`, of: ofRun(last.run) },
      ],
    },
  ];
}

function changeWords(come: readonly string[], gone: readonly string[]): string {
  if (come.length === 0) return `lost ${listWords(gone, 3)}`;
  return gone.length === 0 ? `${listWords(come, 3)} as well` : `${listWords(come, 3)} instead of ${listWords(gone, 3)}`;
}
