import type { Cause } from "../cause.ts";
import { type CauseFacts, lengthWords, listWords, msWords, ofRun, usualOf } from "../cause-facts.ts";

/** There was a good answer, but an assertion or a limit of the check does not fit it any more. */
export function answer(facts: CauseFacts): readonly Cause[] {
  return [...assertion(facts), ...slow(facts)];
}

function assertion({ failure, good: [last], changes }: CauseFacts): readonly Cause[] {
  const { failedAssertions, code, statusCode } = failure.seen;
  const isFine = code === null && (statusCode === null || statusCode < 400);
  const [first] = failedAssertions;
  if (!isFine || first === undefined) return [];
  const wasEdited = changes.some(
    ({ what, fields }) => (what === "check" || what === "group") && (fields.length === 0 || fields.some(isOfRequest)),
  );
  const isSameStatus = last !== undefined && last.seen.statusCode === statusCode;
  return [
    {
      kind: "answer-changed",
      text: `The service answers${statusCode === null ? "" : ` ${statusCode}`}, but what it answers does not fit the check: ${listWords(failedAssertions, 2)}. ${wasEdited ? "The check was changed since it passed last" : "If the service changed on purpose, change the assertion"}.`,
      confidence: isSameStatus || last === undefined ? "high" : "medium",
      evidence: [{ says: first, of: ofRun(failure) }, ...(last === undefined ? [] : [{ says: "the assertions held", of: ofRun(last) }])],
    },
  ];
}

function isOfRequest(field: string): boolean {
  return /request|assertion|expect|script/i.test(field);
}

/** Too slow, and nothing else. */
function slow({ failure, good }: CauseFacts): readonly Cause[] {
  const { code, failedAssertions } = failure.seen;
  const usual = usualOf(good.map(({ responseTimeMs }) => responseTimeMs));
  const isTold = /\b(?:response time|duration|latency)\b/i.test(failure.error ?? "");
  if (code !== null || failedAssertions.length > 0 || !isTold) return [];
  const [last] = good;
  const times = `${msWords(failure.responseTimeMs)}${usual === null ? "" : `, where good runs took ${msWords(usual)}`}`;
  return [
    {
      kind: "slow",
      text: `The service answers, but slowly: it took ${times}. Look at its load, at its database and at what it waits for.`,
      confidence: usual !== null && failure.responseTimeMs > 2 * usual ? "high" : "medium",
      evidence: [
        { says: `took ${msWords(failure.responseTimeMs)}`, of: ofRun(failure) },
        ...(last === undefined
          ? []
          : [
              {
                says: `took ${msWords(last.responseTimeMs)}, ${lengthWords(failure.startedAtMs - last.startedAtMs)} before`,
                of: ofRun(last),
              },
            ]),
      ],
    },
  ];
}
