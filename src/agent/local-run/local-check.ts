import { z } from "zod";
import type { JobVariable } from "#contract/agent-protocol.ts";
import {
  type CheckType,
  checkTypes,
  isCheckType,
  isOneScriptType,
  isPromptType,
  isScriptType,
  type SettingsOf,
} from "#contract/checks/index.ts";
import { scriptedFields } from "#contract/checks/scripted.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { pathText, tellIssue } from "#contract/issue-sentences.ts";
import type { InputProblem } from "#domain/invalid-input.ts";
import { promptProblems } from "#domain/prompt-problems.ts";
import { requestProblems } from "#domain/request-problems.ts";
import { scriptProblems } from "#domain/script-problems.ts";
import type { FileProblem, WrittenCheck } from "./check-file.ts";

/** A check as `outpost run` runs it: what REST keeps of schedule, locations and alerts is left out. */
export interface LocalCheck<T extends CheckType = CheckType> {
  readonly type: T;
  /** Null when the file gives none. */
  readonly name: string | null;
  readonly settings: SettingsOf<T>;
  readonly scripts: LocalScripts;
  /** Of a check that is a script. */
  readonly variables: readonly JobVariable[];
}

/** Around the request of an API check; other types have none. `runtimeId` also of a check that is a script. */
export interface LocalScripts {
  readonly setup: string | null;
  readonly teardown: string | null;
  /** Null leaves the choice to who runs it. */
  readonly runtimeId: string | null;
}

/** Understands one check as REST takes it at its creation (`checkType` API by default), or says what is wrong with it, and where. */
export function localCheck({ value, positionOf }: WrittenCheck): LocalCheck | readonly FileProblem[] {
  const problem = (path: readonly PropertyKey[], message: string): FileProblem => ({
    position: positionOf(path),
    message: path.length === 0 ? `the check ${message}` : `${pathText(path)} ${message}`,
  });
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [problem([], `must be an object, received ${Array.isArray(value) ? "an array" : JSON.stringify(value)}`)];
  const { checkType: type = "API", name } = value as { readonly checkType?: unknown; readonly name?: unknown };
  if (typeof type !== "string" || !isCheckType(type))
    return [problem(["checkType"], `must be one of ${Object.keys(checkTypes).join(", ")}; received ${JSON.stringify(type)}`)];
  const parsed = runnablePart(type).safeParse(value, { reportInput: true });
  if (!parsed.success) return parsed.error.issues.map((issue) => problem(issue.path, tellIssue(issue).message + quotesHint(issue)));
  const settings = checkTypes[type].settings.parse(parsed.data);
  const strays = strayPaths(requestOf(value), requestOf(parsed.data), ["request"]);
  const unfit = problemsOf(type, parsed.data).map(({ path, message }) => problem(keysOf(path), message));
  const { scripts, snippets } = scriptsOf(type, parsed.data);
  const problems = [
    ...strays.map((path) => problem(path, "is no field of this check type")),
    ...unfit,
    ...snippets.map((field) => problem([field], `names a snippet of an account, which is not known here: use ${localFields[field]}`)),
  ];
  if (problems.length > 0) return problems;
  return {
    type,
    name: typeof name === "string" && name !== "" ? name : null,
    settings,
    scripts,
    variables: variablesIn(type, parsed.data),
  };
}

/** Those that a check which is a script brings itself. */
function variablesIn(type: CheckType, check: unknown): readonly JobVariable[] {
  const { environmentVariables } = isScriptType(type) ? WholeScript.parse(check) : {};
  return (environmentVariables ?? []).map(({ key, value, locked, secret }) => ({ key, value: value ?? "", isSecret: locked || secret }));
}

function problemsOf(type: CheckType, check: unknown): readonly InputProblem[] {
  if (isOneScriptType(type)) return scriptProblems(type, WholeScript.parse(check));
  if (!isScriptType(type)) return requestProblems(type, requestOf(check));
  if (isPromptType(type)) return promptProblems(WholePrompt.parse(check));
  const message = `${type} is a project of many files: run it with outpost suite run`;
  return [{ path: "checkType", message }];
}

/** What REST takes of a check that is a script. */
const WholeScript = z.object({
  script: z.string().nullable().default(null),
  scriptPath: scriptedFields.scriptPath,
  dependencies: scriptedFields.dependencies,
  environmentVariables: scriptedFields.environmentVariables,
  runtimeId: z.string().nullable().default(null),
});

const WholePrompt = z.object({
  prompt: z.string().nullable().default(null),
  allowedHosts: z.array(z.string()).nullable().default(null),
  environmentVariables: scriptedFields.environmentVariables,
});

/** The scripts of a check, and the fields in which it names others that are not here. */
function scriptsOf(type: CheckType, check: unknown): { scripts: LocalScripts; snippets: (typeof snippetFields)[number][] } {
  const read = takesScripts(type)
    ? ApiScripts.parse(check)
    : isScriptType(type)
      ? { ...noScripts, ...WholeScript.pick({ runtimeId: true }).parse(check) }
      : noScripts;
  const { localSetupScript: setup, localTearDownScript: teardown, runtimeId } = read;
  return { scripts: { setup, teardown, runtimeId }, snippets: snippetFields.filter((field) => read[field] !== null) };
}

const takesScripts = (type: CheckType): boolean => traitsOf(type).scripts === "around";
const localFields = { setupSnippetId: "localSetupScript", tearDownSnippetId: "localTearDownScript" } as const;
const snippetFields = ["setupSnippetId", "tearDownSnippetId"] as const;
const script = z.string().nullable();
const ApiScripts = z.object({
  localSetupScript: script.transform(orNull),
  localTearDownScript: script.transform(orNull),
  setupSnippetId: z.int().nullable(),
  tearDownSnippetId: z.int().nullable(),
  runtimeId: z.string().nullable().default(null),
});
const noScripts = ApiScripts.parse({ localSetupScript: null, localTearDownScript: null, setupSnippetId: null, tearDownSnippetId: null });

function orNull(code: string | null): string | null {
  return code === null || code.trim() === "" ? null : code;
}

/** Of the body of a creation what a runner, scripts and a verdict need, with its bounds and defaults. */
function runnablePart(type: CheckType): z.ZodType {
  const { create } = checkTypes[type].schemas;
  const names = [
    ...Object.keys(checkTypes[type].settings.shape),
    ...(takesScripts(type) ? Object.keys(ApiScripts.shape) : []),
    ...(isScriptType(type) ? Object.keys(WholeScript.shape) : []),
  ];
  return z.object(Object.fromEntries(Object.entries(create.shape).filter(([name]) => names.includes(name))));
}

function requestOf(body: unknown): unknown {
  return (body as { readonly request?: unknown }).request;
}

/** `request.assertions[0]`, key by key. */
function keysOf(path: string): readonly PropertyKey[] {
  return (path.match(/[^.[\]]+/g) ?? []).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}

/** What was given and not taken: REST ignores it, but who wrote a file by hand has misspelt a name. */
function strayPaths(given: unknown, taken: unknown, path: readonly PropertyKey[]): (readonly PropertyKey[])[] {
  if (typeof given !== "object" || given === null || typeof taken !== "object" || taken === null) return [];
  return Object.entries(given).flatMap(([name, value]) => {
    const at = [...path, Array.isArray(given) ? Number(name) : name];
    return Object.hasOwn(taken, name) ? strayPaths(value, Reflect.get(taken, name), at) : [at];
  });
}

/** YAML reads `target: 200` as a number. */
function quotesHint(issue: z.core.$ZodIssue): string {
  const isBare = typeof issue.input === "number" || typeof issue.input === "boolean";
  return issue.code === "invalid_type" && issue.expected === "string" && isBare ? " (put it in quotes)" : "";
}
