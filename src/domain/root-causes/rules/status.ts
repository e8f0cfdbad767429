import type { Cause } from "../cause.ts";
import { type CauseFacts, ofRun } from "../cause-facts.ts";

/** What the class of the status says, where the good runs had another one. */
export function status({ failure, good: [last] }: CauseFacts): readonly Cause[] {
  const { statusCode: now, redirectedTo } = failure.seen;
  const before = last?.seen.statusCode ?? null;
  if (now === null || now === 0 || now === before) return [];
  const found = meaningOf(now, redirectedTo, last?.seen.redirectedTo ?? null);
  if (found === null) return [];
  const was = before === null ? "" : ` (${before} in the last good run)`;
  return [
    {
      ...found,
      text: `The service answers ${now}${was}. ${found.text}`,
      evidence: [
        { says: `answered ${now}`, of: ofRun(failure) },
        ...(last === undefined ? [] : [{ says: `answered ${before ?? "without a status"}`, of: ofRun(last) }]),
      ],
    },
  ];
}

type Found = Omit<Cause, "evidence">;

const unavailable: Omit<Found, "confidence"> = {
  kind: "server-error",
  text: "A proxy or load balancer has no healthy server behind it, or the service is overloaded or being maintained.",
};
const gone: Omit<Found, "confidence"> = {
  kind: "missing-page",
  text: "What is asked for is not there any more. A route, a path or a deployment has changed.",
};
const refused: Omit<Found, "confidence"> = {
  kind: "access",
  text: "It refuses the check's credentials, or asks for some: a password or token was changed or has expired, or a firewall of web requests blocks the agents.",
};

const meanings: Readonly<Record<number, Omit<Found, "confidence">>> = {
  401: refused,
  403: refused,
  404: gone,
  410: gone,
  429: { kind: "rate-limit", text: "It limits how often it may be asked. Ask less often, or let the agents' addresses pass." },
  502: unavailable,
  503: unavailable,
  504: unavailable,
};

function meaningOf(code: number, redirectedTo: string | null, redirectedBefore: string | null): Found | null {
  const isNewWay = redirectedTo !== null && redirectedTo !== redirectedBefore;
  const known = isNewWay && signIn.test(redirectedTo) ? refused : meanings[code];
  if (known !== undefined) return { ...known, confidence: "high" };
  if (code >= 500) return { kind: "server-error", text: "It fails inside. Look at its log at the time of the run.", confidence: "high" };
  if (code >= 400)
    return {
      kind: "answer-changed",
      text: "It does not accept the request any more. Its interface may have changed.",
      confidence: "medium",
    };
  const redirect = "It redirects instead of answering. Check the new address, and whether the check may follow.";
  return code >= 300 ? { kind: "redirect", text: redirect, confidence: "medium" } : null;
}

const signIn = /log-?in|sign-?in|auth|sso/i;
