import type { Cause, Evidence } from "../cause.ts";
import { type CauseFacts, ofRun } from "../cause-facts.ts";

const expired = ["CERT_HAS_EXPIRED"];
const wrongName = ["ERR_TLS_CERT_ALTNAME_INVALID", "HOSTNAME_MISMATCH"];
const notYet = ["CERT_NOT_YET_VALID"];
const selfSigned = ["DEPTH_ZERO_SELF_SIGNED_CERT"];
const unknownAuthority = [
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_UNTRUSTED",
  "ERR_TLS_UNTRUSTED",
];
const others: Readonly<Record<string, string>> = {
  CERT_REVOKED: "The issuer revoked the certificate. Replace it.",
  CERT_SIGNATURE_FAILURE: "The signature of the certificate is wrong. Replace it.",
  INVALID_CA: "The chain holds a certificate that may not sign others. Correct the chain that the server sends.",
  INVALID_PURPOSE: "The certificate was not issued for servers. Replace it.",
  CERT_REJECTED: "The authority does not accept this use of the certificate. Use another issuer.",
};

/** The certificate was not accepted, or ends soon. */
export function certificate(facts: CauseFacts): readonly Cause[] {
  const { seen } = facts.failure;
  const problem = seen.certificate?.problem ?? seen.code;
  const text = problem === null ? null : problemText(problem, facts);
  if (text !== null)
    return [{ kind: "certificate", text, confidence: "high", evidence: evidenceOf(facts, `the handshake ended with ${problem}`) }];
  return endsSoon(facts);
}

function problemText(code: string, { failure, check }: CauseFacts): string | null {
  const { validTo = null } = failure.seen.certificate ?? {};
  const host = check.host ?? "the host";
  if (expired.includes(code))
    return `The certificate of ${host} ${validTo === null ? "has expired" : `expired on ${validTo.slice(0, 10)}`}. Renew it, and check that the server loads the new one.`;
  if (wrongName.includes(code))
    return `The certificate was issued for other names than ${host}. Serve the certificate of this name, or issue one that has it.`;
  if (notYet.includes(code))
    return `The certificate of ${host} is not valid yet. Check the clock of the agent's host, or wait until it is.`;
  if (selfSigned.includes(code))
    return `The certificate of ${host} is signed by itself, and agents do not know it. Serve one of a known authority, or add it to the agents' CAs.`;
  if (unknownAuthority.includes(code))
    return `No authority that the agent knows signed the certificate of ${host}. Let the server send its intermediate certificates, or add the authority to the agents' CAs.`;
  return others[code] ?? null;
}

/** Also what was served before, where that was another certificate. */
function evidenceOf({ failure, good: [last] }: CauseFacts, says: string): readonly Evidence[] {
  const [before, now] = [last?.seen.certificate?.fingerprint ?? null, failure.seen.certificate?.fingerprint ?? null];
  const seen = { says, of: ofRun(failure) };
  if (last === undefined || before === null || now === null) return [seen];
  return [
    seen,
    { says: before === now ? "the last good run saw the same certificate" : "the last good run saw another certificate", of: ofRun(last) },
  ];
}

/** So many days before its end a certificate is worth a word. */
const soonDays = 30;

function endsSoon(facts: CauseFacts): readonly Cause[] {
  const { failure, check } = facts;
  const { certificate: seen, failedAssertions } = failure.seen;
  const isTold = [failure.error ?? "", ...failedAssertions].some((text) => /certificate|expir/i.test(text));
  if (seen === null || seen.daysLeft === null || seen.daysLeft > soonDays || !(seen.isSubject || isTold)) return [];
  return [
    {
      kind: "certificate",
      text: `The certificate of ${check.host ?? "the host"} ${endWords(seen.daysLeft)}. Renew it.`,
      confidence: isTold ? "high" : "medium",
      evidence: evidenceOf(facts, `it has ${Math.floor(seen.daysLeft)} days left`),
    },
  ];
}

function endWords(days: number): string {
  if (days < 0) return "has expired";
  return days < 1 ? "ends within a day" : `ends in ${Math.floor(days)} days`;
}
