import { constants } from "node:os";
import type { ChildFailure, LeftBehind } from "./child-line.ts";
import type { ScriptOutcome, ScriptPhase, ScriptRequest } from "./sandbox.ts";
import type { ChildOutcome } from "./script-child.ts";
import type { ScriptLimits } from "./script-limits.ts";

/** What came of a phase, in the words of the scripts' names. What was handed over stays where a script failed. */
export function outcomeOf(phase: ScriptPhase, child: ChildOutcome, limits: ScriptLimits): ScriptOutcome {
  const name = (phase.scripts[child.script] ?? phase.scripts[0])?.name ?? "script";
  if (child.how !== "answered") return failedOutcome(phase, `${name} ${stopSentence(child, limits)}`, child);
  if ("failure" in child.end) {
    const failed = phase.scripts[child.end.failure.script]?.name ?? name;
    return failedOutcome(phase, `${failed} ${failureSentence(child.end.failure)}`, child);
  }
  if ("attack" in child.end) return failedOutcome(phase, `${name} gave an answer that is none`, child);
  const left = changed(phase, child.end);
  if (typeof left === "string") return failedOutcome(phase, `${name} ${left}`, child);
  return { ...left, log: child.log, made: child.made, failure: null };
}

export function failedOutcome(phase: ScriptPhase, failure: string, { log, made }: Told = { log: [], made: [] }): ScriptOutcome {
  return { env: phase.env, request: phase.request, response: phase.response, log, made, failure };
}

type Told = Pick<ScriptOutcome, "log" | "made">;

function stopSentence(child: Exclude<ChildOutcome, { readonly how: "answered" }>, limits: ScriptLimits): string {
  const memory = `took more memory than a script may have (${Math.round(limits.memoryBytes / 1024 / 1024)} MB)`;
  switch (child.how) {
    case "late":
      return `took longer than ${limits.scriptMs / 1_000} s, the limit of a script`;
    case "memory":
      return memory;
    case "output":
      return `wrote more than ${kilobytes(limits.outputBytes)} to its standard output`;
    case "answer-too-large":
      return `left more behind than ${kilobytes(limits.answerBytes)}`;
    case "garbled":
      return "disturbed the channel to the agent, so that its outcome cannot be told";
    case "aborted":
      return "was stopped";
    case "died":
      if (child.isOutOfMemory) return memory;
      return `ended its process (${child.signal ?? exitText(child.code)}) before it came to its end`;
  }
}

/** Bubblewrap tells the signal that ended its child as shells do, by a code from 129 on. */
function exitText(code: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return signal?.[0] ?? `exit code ${code ?? "unknown"}`;
}

function failureSentence({ how, code, name, message, file, line }: ChildFailure): string {
  switch (how) {
    case "exit":
      return `called process.exit(${code ?? ""}) before it came to its end`;
    case "unsettled":
      return "waits for a promise that nothing will ever settle";
    case "unreadable":
      return `left a request, a response or variables that cannot be read: ${message}`;
    case "threw": {
      const place = [
        file?.startsWith("snippet-") ? `snippet ${file.slice("snippet-".length)}` : null,
        line === null ? null : `line ${line}`,
      ];
      const where = place.filter((part) => part !== null).join(", ");
      return `failed: ${name === "" ? `it threw ${message}` : `${name}: ${message}`}${where === "" ? "" : ` (${where})`}`;
    }
  }
}

/** What the scripts of this phase may change, as they left it; or what is wrong with it. */
function changed(phase: ScriptPhase, left: LeftBehind): Pick<ScriptOutcome, "env" | "request" | "response"> | string {
  const env = texts("process.env", left.env);
  if (typeof env === "string") return env;
  const { PATH: _path, TZ: _zone, ...rest } = env;
  const own = Object.hasOwn(phase.env, "PATH") || Object.hasOwn(phase.env, "TZ") ? env : record(Object.entries(rest));
  if (phase.phase === "setup") {
    const request = requestOf(left.request);
    return typeof request === "string" ? request : { env: own, request, response: phase.response };
  }
  if (phase.response === null || left.response === null) return { env: own, request: phase.request, response: phase.response };
  const { body } = left.response;
  if (typeof body === "object") return notText("response.body", body.kind);
  return { env: own, request: phase.request, response: { ...phase.response, body: body ?? "" } };
}

function requestOf(left: LeftBehind["request"]): ScriptRequest | string {
  const { method, url, body } = left;
  for (const [name, value] of Object.entries({ method, url, body })) {
    if (typeof value === "object") return notText(`request.${name}`, value.kind);
  }
  const headers = texts("request.headers", left.headers);
  if (typeof headers === "string") return headers;
  const queryParameters = texts("request.queryParameters", left.queryParameters);
  if (typeof queryParameters === "string") return queryParameters;
  return { method: text(method), url: text(url), body: text(body), headers, queryParameters };
}

function texts(name: string, left: LeftBehind["env"]): Record<string, string> | string {
  const entries = Object.entries(left);
  for (const [key, value] of entries) if (typeof value === "object") return notText(`${name}.${key}`, value.kind);
  return record(entries.map(([key, value]) => [key, text(value)]));
}

function notText(name: string, kind: string): string {
  return `left ${name.slice(0, 200)} as ${kind === "object" || kind === "array" ? "an" : "a"} ${kind}; it must be a text`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Without a prototype: a name like `constructor` is a name and nothing else. */
function record(entries: readonly (readonly [string, string])[]): Record<string, string> {
  const made = Object.create(null) as Record<string, string>;
  for (const [key, value] of entries) made[key] = value;
  return made;
}

function kilobytes(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${Math.round(bytes / 1024 / 1024)} MB` : `${Math.round(bytes / 1024)} KB`;
}
