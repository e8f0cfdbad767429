import { join } from "node:path";
import { type AgenticPlan, longestPlan } from "#contract/agent-plans.ts";
import { type ResultOf, type SettingsOf, scriptLimitMs } from "#contract/checks/index.ts";
import type { PlaywrightLogLine } from "#contract/checks/playwright-run.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { openableHosts } from "#domain/agentic/allowed-hosts.ts";
import { AppError } from "#domain/app-error.ts";
import { mayNameVariable } from "#domain/script-problems.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import { insideFolder } from "../playwright/fence.ts";
import { fittingResult } from "../playwright/fitting-result.ts";
import type { PlaywrightEngine, PlaywrightRun, PlaywrightTask } from "../playwright/playwright-engine.ts";
import type { CheckRunner, Observation, Plans, ProbeFailure, RunContext } from "../runners/check-runner.ts";
import type { AgentModel } from "./agent-model.ts";
import type { Lead, Led } from "./lead-run.ts";
import { nothingUsed, type Used } from "./used.ts";

type Settings = SettingsOf<"AGENTIC">;

/** Of a run, from its first order to its report: what the tree may take around it is left. */
const limitMs = scriptLimitMs - 20_000;
const notRunning = "AGENTIC does not run at this agent: ";

/**
 * A check that is a prompt. A model, or the steps that it took when the check passed last, lead a run of the same browser that scripts have, in the same
 * fences; what is true is judged by what the run saw.
 *
 * @param model null where the operator set none
 */
export function createAgenticRunner(engine: PlaywrightEngine | null, model: AgentModel | null): CheckRunner<"AGENTIC"> {
  return {
    async run(settings, context) {
      const { able, leader, runtimeId } = offered(engine, model, context);
      const prompt = settings.prompt?.trim() ?? "";
      if (prompt === "") throw new AppError("invalid_input", "the check has no prompt: say what it is to do");
      const { leadRun } = await import("./lead-run.ts"); // who runs no such check has none of it in memory
      const used = nothingUsed();
      let led: Led | null = null;
      const lead = leadOf(settings, prompt, leader, used, context);
      const task = taskOf(runtimeId, context, async (tree) => {
        led = await leadRun(tree, lead);
      });
      try {
        const run = await able.run<"BROWSER">(task, context);
        const seen = led as Led | null; // the compiler sees no callback
        if (seen === null) throw new AppError("unavailable", "the run ended before it was led");
        const notes = await keptOf(seen, settings, leader, used, context);
        leader.note({ way: wayOf(seen), ...used });
        return observationOf(prompt, run, seen, notes, runtimeId);
      } catch (error) {
        leader.note({ way: "none", ...used });
        throw error;
      }
    },
  };
}

/** @throws {AppError} where such a check does not run here, with what would change that */
function offered(
  engine: PlaywrightEngine | null,
  model: AgentModel | null,
  { script }: RunContext,
): { readonly able: PlaywrightEngine; readonly leader: AgentModel; readonly runtimeId: string } {
  const { needs, runsOn } = traitsOf("AGENTIC");
  if (model === null) throw new AppError("forbidden", `${notRunning}set ${needs}`);
  const runtimeId = script?.runtimeId ?? "";
  const offer = engine?.offers.get(runtimeId);
  if (engine === null || offer === undefined)
    throw new AppError("not_found", `${notRunning}it needs ${runsOn} on runtime ${runtimeId}: outpost runtime install ${runtimeId}`);
  if (!offer.types.some((type) => type === runsOn))
    throw new AppError("forbidden", `${notRunning}${offer.limitation ?? "outpost doctor says what is missing"}`);
  return { able: engine, leader: model, runtimeId };
}

function leadOf(
  { allowedHosts }: Settings,
  prompt: string,
  model: AgentModel,
  used: Used,
  { script, plans, monotonicMs, signal, noModel = false }: RunContext,
): Lead {
  const { environment = {}, secrets = [] } = script ?? {};
  const scrubber = createScrubber([...new Set([...secrets, ...model.secrets])]);
  const named = prompt.replace(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g, (whole, name: string) => environment[name] ?? whole);
  const startedMs = monotonicMs();
  const startedAt = Date.now();
  return {
    prompt,
    hosts: openableHosts(named, allowedHosts),
    variables: Object.keys(environment).filter(mayNameVariable).toSorted(),
    model,
    plan: plans?.kept ?? null,
    mask: (text) => scrubber.scrubText(text),
    used,
    mayAsk: !noModel,
    limitMs,
    monotonicMs,
    wallMs: () => Math.round(startedAt + (monotonicMs() - startedMs)), // a clock that is set in between moves no step
    signal,
  };
}

/** A test of our own, which takes orders: no code of anybody's runs in it. */
function taskOf(
  runtimeId: string,
  { script: around, certificates }: RunContext,
  lead: NonNullable<PlaywrightTask["lead"]>,
): PlaywrightTask<"BROWSER"> {
  const led = JSON.stringify(join(insideFolder, "led.cjs"));
  const script = `const { test } = require("@playwright/test");\ntest("prompt", ({ context, page }) => require(${led})({ context, page, test }));\n`;
  return {
    type: "BROWSER",
    runtimeId,
    script,
    scriptPath: "prompt.spec.js",
    files: [],
    environment: around?.environment ?? {},
    secrets: around?.secrets ?? [],
    certificates: certificates ?? [],
    limitMs: scriptLimitMs,
    keepsAll: false,
    baselines: [],
    lead,
  };
}

function wayOf({ mode, failure }: Led): Led["mode"] | "none" {
  return failure === null ? mode : "none";
}

/** Keeps what a run did that passed by the model, and says what it used. @returns what did not come to the control plane, for the log */
async function keptOf(
  led: Led,
  { shouldFail }: Settings,
  { chat }: AgentModel,
  { answered, failed, tokens }: Used,
  { plans, signal }: RunContext,
): Promise<readonly string[]> {
  if (plans === undefined) return [];
  const isPassed = led.failure === null && led.assertions.every(({ passed }) => passed) && !shouldFail;
  const plan = isPassed && led.mode !== "replay" ? planOf(led) : null;
  const calls = answered + failed;
  const use = { model: chat.name, calls, promptTokens: tokens.prompt, completionTokens: tokens.completion };
  return [
    ...(plan === null
      ? []
      : await attempted("the steps of this run could not be kept, the next one asks the model again", plans.keep(plan, signal))),
    ...(calls === 0 ? [] : await attempted("what this run used of the model could not be noted", plans.noteUse(use, signal))),
  ];
}

/** Null where there is nothing that could be done again. */
function planOf({ journey, assertions, summary }: Led): AgenticPlan | null {
  const plan: AgenticPlan = { version: 1, summary: summary ?? "", steps: [...journey.plan], assertions: [...assertions] };
  return plan.steps.length > 0 && JSON.stringify(plan).length <= longestPlan ? plan : null;
}

async function attempted(otherwise: string, kept: ReturnType<Plans["keep"]>): Promise<readonly string[]> {
  try {
    await kept;
    return [];
  } catch (error) {
    return [`${otherwise}: ${error instanceof Error ? error.message : "the control plane did not take it"}`];
  }
}

function observationOf(
  prompt: string,
  run: PlaywrightRun<"BROWSER">,
  led: Led,
  notes: readonly string[],
  runtimeVersion: string,
): Observation<"AGENTIC"> {
  const failure = run.failure ?? failureOf(led, run);
  const hasFailed = led.assertions.some(({ passed }) => !passed) || led.assertions.length === 0;
  const responseTimeMs = led.endedMs - led.startedMs;
  return {
    startedMs: run.startedMs,
    stoppedMs: run.stoppedMs,
    responseTimeMs,
    statusCode: null,
    metrics: {},
    failure,
    facts: { statusCode: null, responseTimeMs, headers: {}, text: () => "" },
    result: fittingResult(resultOf(prompt, run, led, failure, notes, runtimeVersion)),
    outcome: failure !== null || hasFailed ? "failed" : "passed",
    files: run.files,
  };
}

/** A browser that did not start says why in its test's error. */
function failureOf({ failure }: Led, { result }: PlaywrightRun<"BROWSER">): ProbeFailure | null {
  const [first] = result.errors;
  if (failure?.code !== "ESCRIPT" || first === undefined) return failure;
  return { ...failure, message: (first.message.split("\n")[0] ?? "").slice(0, 1_000) };
}

function resultOf(
  prompt: string,
  { result: ran }: PlaywrightRun<"BROWSER">,
  { journey, summary, assertions, suggestions, mode, startedMs, endedMs }: Led,
  failure: ProbeFailure | null,
  notes: readonly string[],
  runtimeVersion: string,
): ResultOf<"AGENTIC"> {
  const { startTime, browserVersion, sandboxLevel, scriptEgress, playwrightTestTraces, jobAssets } = ran;
  const endTime = startTime + Math.ceil(endedMs - startedMs);
  const noted = notes.map((msg): PlaywrightLogLine => ({ time: endTime, level: "WARN", msg }));
  return {
    summary,
    prompt,
    assertions: [...assertions],
    suggestions: [...suggestions],
    steps: journey.steps,
    errors: failure === null ? [] : [{ message: failure.message, code: failure.code }],
    artifactManifest: null,
    jobLog: [...journey.log, ...ran.jobLog, ...noted].slice(0, 2_000),
    jobAssets,
    mode,
    startTime,
    endTime,
    runtimeVersion,
    browserVersion,
    sandboxLevel,
    scriptEgress,
    playwrightTestTraces,
  };
}
