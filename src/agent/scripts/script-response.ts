import { sensitiveValues } from "#domain/scrub/sensitive.ts";
import { storedBody, storedBodyBytes } from "../runners/api/response-body.ts";
import type { Observation } from "../runners/check-runner.ts";
import type { ScriptResponse } from "../sandbox/sandbox.ts";

/** The answer as teardown scripts see it: of its body no more than is stored, but always as text. Null where no whole one came. */
export function seenResponse({ result: { response }, facts }: Observation<"API">): ScriptResponse | null {
  if (response === null) return null;
  const { status, statusText, headers, timings, timingPhases } = response;
  const body = response.bodyEncoding === undefined ? response.body : facts.text().slice(0, storedBodyBytes);
  return { statusCode: status, statusText, body, headers, timings, timingPhases };
}

export function isCut({ result: { response } }: Observation<"API">): boolean {
  return response !== null && response.bodyBytes > storedBodyBytes;
}

/** The answer with the body that a script left: assertions read it, and it is what is stored. */
export function withBody(observation: Observation<"API">, body: string): Observation<"API"> {
  const { result, facts } = observation;
  if (result.response === null) return observation;
  const { bodyEncoding: _encoding, ...response } = result.response;
  return {
    ...observation,
    facts: { ...facts, text: () => body },
    result: { ...result, response: { ...response, ...storedBody(Buffer.from(body), undefined, false) } },
  };
}

/** As scripts may log it. */
export function secretsOfResponse({ result: { response } }: Observation<"API">): readonly string[] {
  return secretsOfHeaders(response?.headers ?? {});
}

/** Values of sensitive headers of the answer. A cookie's attributes are no secrets: a path would be masked everywhere. */
export function secretsOfHeaders(responseHeaders: Readonly<Record<string, unknown>>): readonly string[] {
  const headers = Object.entries(responseHeaders).flatMap(([key, value]) => {
    const values = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string");
    return key === "set-cookie"
      ? values.map((each) => ({ key: "cookie", value: each.split(";")[0] ?? "", locked: false }))
      : values.map((each) => ({ key, value: each, locked: false }));
  });
  return sensitiveValues({ url: "", headers, queryParameters: [] });
}
