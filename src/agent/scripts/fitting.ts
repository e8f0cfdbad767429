import type { ScriptRequest, ScriptResponse } from "../sandbox/sandbox.ts";
import { scriptLimits } from "../sandbox/script-limits.ts";
import type { Variables } from "./run-variables.ts";

interface Handed {
  readonly request: ScriptRequest;
  readonly response: ScriptResponse | null;
  /** Something of the bodies is missing. */
  readonly isCut: boolean;
}

/** What teardown scripts are handed, its bodies cut where all together is more than may be (behaviour 4): first the answer's. */
export function fitting(env: Variables, request: ScriptRequest, response: ScriptResponse | null): Handed {
  const bytesOf = (requestBody: string, responseBody: string): number =>
    jsonBytes({ env, request: { ...request, body: requestBody }, response: response && { ...response, body: responseBody } });
  const leftBytes = scriptLimits.handedBytes - bytesOf("", "");
  const ofResponse = response?.body ?? "";
  if (jsonBytes(request.body) + jsonBytes(ofResponse) <= leftBytes) return { request, response, isCut: false };
  const requestBody = cutTo(request.body, Math.max(leftBytes / 2, leftBytes - jsonBytes(ofResponse)));
  const responseBody = cutTo(ofResponse, leftBytes - jsonBytes(requestBody));
  return { request: { ...request, body: requestBody }, response: response && { ...response, body: responseBody }, isCut: true };
}

/** The longest beginning that was found to fit; escapes make some characters longer than others, so it is looked for in steps. */
function cutTo(text: string, limitBytes: number): string {
  let cut = text.slice(0, Math.max(0, limitBytes));
  for (let bytes = jsonBytes(cut); bytes > limitBytes && cut !== ""; bytes = jsonBytes(cut)) {
    cut = cut.slice(0, Math.floor(Math.min(cut.length - 1, (cut.length * limitBytes) / bytes)));
  }
  return cut.replace(/[\ud800-\udbff]$/, ""); // half a character
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
