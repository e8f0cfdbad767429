import type { z } from "zod";
import type { ScriptType, SettingsOf } from "#contract/checks/index.ts";
import type { PlaywrightLogLine } from "#contract/checks/playwright-run.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import type { RunProgress } from "#contract/run-progress.ts";
import { AppError } from "#domain/app-error.ts";
import { mayNameVariable } from "#domain/script-problems.ts";
import { judged, observed } from "../judgement/judged-run.ts";
import { type ReportScrubber, reportScrubber } from "../scrub/scrub-report.ts";
import { proxyFrom } from "./fill-in.ts";
import { givenSecrets } from "./given-secrets.ts";
import type { MaterialDeps, MaterialRun } from "./material-run.ts";
import type { RunTask } from "./run-task.ts";
import { type RunIdentity, RunSecrets, type Variables, variablesOf } from "./run-variables.ts";
import { unmaskedSecrets } from "./unmasked-secrets.ts";

type LogLine = z.infer<typeof PlaywrightLogLine>;
type Deps = Pick<MaterialDeps, "agentSecrets" | "random" | "uuid" | "holdSecrets">;

/**
 * Runs the script with the variables of check, group and account, and with those secrets of the agent that it names.
 *
 * @throws the reason of the context's signal, or an AppError where this agent cannot run it
 */
export async function scriptRun<T extends ScriptType>(task: RunTask<T>, deps: Deps): Promise<MaterialRun<T>> {
  const { type, runner, check, context, runtimeId, material } = task;
  if (runtimeId === null && traitsOf(type).scripts === "whole")
    throw new AppError("invalid_input", "the check has a script and no runtime: choose one for the check, its group or its account");
  const secrets = new RunSecrets(task, deps.agentSecrets.values());
  secrets.add(check.scrub.secrets);
  using _held = deps.holdSecrets(() => secrets.values);
  const ofAgent = givenSecrets(withCode(task), deps.agentSecrets, context.proxyUrl);
  const variables = variablesOf(task, ofAgent.toScripts, null);
  const environment = Object.fromEntries(Object.entries(variables).filter(([name]) => mayNameVariable(name)));
  const sources = { nowMs: task.nowMs(), random: deps.random, uuid: deps.uuid };
  const proxyUrl = proxyFrom(context.proxyUrl, { ...variables, ...ofAgent.toTemplatesAlone }, sources);
  const script = { runtimeId, environment, snippets: material?.snippets ?? {}, secrets: secrets.values };
  const scrub = reportScrubber(check.settings, proxyUrl, secrets.given, secrets.values);
  const onProgress = context.onProgress && scrubbed(context.onProgress, scrub);
  const seen = await observed(type, runner, check.settings, { ...context, proxyUrl, script, onProgress });
  const notes = notesOf(task, ofAgent.denied, variables).map((msg): LogLine => ({ time: Math.round(task.nowMs()), level: "WARN", msg }));
  const observation = notes.length === 0 ? seen : { ...seen, result: { ...seen.result, jobLog: [...notes, ...seen.result.jobLog] } };
  return {
    ...(await judged(type, check.settings, observation, context.signal)),
    scrub,
  };
}

/** Pictures are not searched. */
function scrubbed(tell: (progress: RunProgress) => void, scrub: ReportScrubber): (progress: RunProgress) => void {
  return ({ picture, ...progress }) => tell({ ...(scrub.detail(progress) as typeof progress), picture });
}

/** What its owner should know, of what the run went without. */
function notesOf(task: RunTask<ScriptType>, denied: readonly string[], variables: Variables): readonly string[] {
  const lost = task.material?.lostVariables ?? [];
  const refused = Object.keys(variables).filter((name) => !mayNameVariable(name));
  const unmasked = unmaskedSecrets(task, task.check.settings, variables);
  return [
    ...(lost.length > 0 ? [`secret variables that cannot be opened any more, write them again: ${lost.join(", ")}`] : []),
    ...(denied.length > 0 ? [`these secrets of the agent are for other checks: ${denied.join(", ")}`] : []),
    ...(refused.length > 0 ? [`scripts go without variables of these names: ${refused.join(", ")}`] : []),
    ...(unmasked.length > 0 ? [`the values of these secrets are not masked: ${unmasked.join(", ")}`] : []),
  ];
}

/** The script and its files, or the prompt, where secrets of the agent are named, as other types have their scripts. */
function codesOf(settings: SettingsOf<ScriptType>): readonly string[] {
  if ("prompt" in settings) return [settings.prompt ?? ""];
  if (!("script" in settings)) return []; // a project brings its own, which is not read here
  return [settings.script ?? "", ...(settings.dependencies ?? []).map(({ content }) => content)];
}

function withCode<T extends ScriptType>(task: RunTask<T>): RunIdentity {
  const code = codesOf(task.check.settings).join("\n");
  const none = { setup: [], teardown: [], snippets: {}, variables: [], groupBaseUrl: null, certificates: [] };
  return { ...task, material: { ...none, ...task.material, setup: [{ name: "script", code }] } };
}
