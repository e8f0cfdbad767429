import { randomUUID } from "node:crypto";
import type { JobMaterial, JobScript } from "#contract/agent-protocol.ts";
import type { CheckType } from "#contract/checks/index.ts";
import type { Env } from "#daemon/env.ts";
import { templateNames } from "#domain/templates/template-names.ts";
import type { RunIdentity } from "../scripts/run-variables.ts";
import type { LocalCheck } from "./local-check.ts";

/** Where the variables of checks come from here. */
export interface VariableSources {
  /** All of it counts. */
  readonly file: Env;
  /** Only what a check names: the rest is nobody's business. */
  readonly environment: Env;
}

/** What an agent would be told of a run beside its settings. @param runtimeId what its scripts run on; null where it has none */
export function localRun<T extends CheckType>(
  check: LocalCheck<T>,
  proxyUrl: string | null,
  sources: VariableSources,
  runtimeId: string | null,
): RunIdentity & { readonly material: JobMaterial } {
  const { type, name, settings, scripts, variables: own } = check;
  const setup = scriptOf("setup script", scripts.setup);
  const teardown = scriptOf("teardown script", scripts.teardown);
  const names = new Set([
    ...templateNames([settings, proxyUrl]),
    ...[...codesOf(settings), ...[...setup, ...teardown].map(({ code }) => code)].flatMap(wordsIn),
  ]);
  const named = Object.entries(sources.environment).filter(([key]) => names.has(key));
  const given = { ...Object.fromEntries(named), ...sources.file };
  const variables = Object.entries(given).map(([key, value = ""]) => ({ key, value, isSecret: false }));
  return {
    accountId: "local",
    checkId: randomUUID(),
    checkName: name ?? type,
    checkType: type,
    checkRunId: Date.now(),
    resultId: randomUUID(),
    runLocation: "local",
    runtimeId,
    material: {
      setup,
      teardown,
      snippets: {},
      variables: [...own.filter(({ key }) => !Object.hasOwn(given, key)), ...variables],
      groupBaseUrl: null,
      certificates: [],
    },
  };
}

export function hasScripts({ scripts }: LocalCheck): boolean {
  return scripts.setup !== null || scripts.teardown !== null;
}

/** Of a check that is a script. */
function codesOf(settings: LocalCheck["settings"]): readonly string[] {
  return "script" in settings ? [settings.script ?? "", ...(settings.dependencies ?? []).map(({ content }) => content)] : [];
}

function scriptOf(name: string, code: string | null): JobScript[] {
  return code === null ? [] : [{ name, code }];
}

/** A script names a variable where the word stands in it. */
function wordsIn(code: string): string[] {
  return code.match(/[A-Za-z_]\w*/g) ?? [];
}
