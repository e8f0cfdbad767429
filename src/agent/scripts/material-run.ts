import type { ApiCheckResult } from "#contract/checks/api.ts";
import type { CheckType, ProbeType, ResultOf, SettingsOf } from "#contract/checks/index.ts";
import type { Finding } from "#domain/verdict.ts";
import type { AgentClock } from "../host/clock.ts";
import { type JudgedRun, judged, observed } from "../judgement/judged-run.ts";
import type { CheckRunner, Observation, ProbeFailure, RunContext } from "../runners/check-runner.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type ReportScrubber, reportScrubber } from "../scrub/scrub-report.ts";
import type { AgentSecrets } from "./agent-secrets.ts";
import { type Filled, fillIn, proxyFrom } from "./fill-in.ts";
import { givenSecrets } from "./given-secrets.ts";
import { JobLog } from "./job-log.ts";
import type { RunTask } from "./run-task.ts";
import { type RunIdentity, RunSecrets, type Variables, variablesOf } from "./run-variables.ts";
import { ScriptPhases } from "./script-phases.ts";
import { type LogView, logViews } from "./script-view.ts";
import { unmaskedSecrets } from "./unmasked-secrets.ts";

export interface MaterialDeps {
  readonly sandbox: Sandbox;
  readonly agentSecrets: AgentSecrets;
  readonly clock: AgentClock;
  readonly random: () => number;
  readonly uuid: () => string;
  /** Secrets of a run: until it is over they are masked in what the agent tells of itself. */
  readonly holdSecrets: (secrets: () => readonly string[]) => Disposable;
}

export interface MaterialRun<T extends CheckType> extends Omit<JudgedRun<T>, "observation"> {
  /** As it began before its scripts and ended after them. `result` is null where nothing was sent and the type's results cannot say why. */
  readonly observation: Omit<Observation<T>, "result"> & { readonly result: ResultOf<T> | null };
  readonly scrub: ReportScrubber;
}

/**
 * Setup, templates, request, teardown, assertions (behaviour 4): templates are filled after setup, so that scripts see them unfilled and
 * what scripts put into `process.env` fills them. After a setup that failed, and with templates that make no request, nothing is sent.
 *
 * @throws the reason of the context's signal, what a runner throws, or an AppError where this agent cannot run scripts
 */
export async function materialRun<T extends ProbeType>(task: RunTask<T>, deps: MaterialDeps): Promise<MaterialRun<T>> {
  const { type, runner, check, context } = task;
  const log = new JobLog(task.nowMs);
  const secrets = new RunSecrets(task, deps.agentSecrets.values());
  secrets.add(check.scrub.secrets);
  using _held = deps.holdSecrets(() => secrets.values);
  const lost = task.material?.lostVariables ?? [];
  if (lost.length > 0) log.say("request", "WARN", `secret variables that cannot be opened any more, write them again: ${lost.join(", ")}`);
  const ofAgent = givenSecrets(task, deps.agentSecrets, [check.settings, context.proxyUrl]);
  if (ofAgent.denied.length > 0)
    log.say("request", "WARN", `these secrets of the agent are for other checks: ${ofAgent.denied.join(", ")}`);
  const variables = variablesOf(task, ofAgent.toScripts, urlIn(check.settings));
  const startedMs = context.monotonicMs();
  const phases = new ScriptPhases(type, task, { sandbox: deps.sandbox, clock: deps.clock, log, secrets, context });
  const run: Run<T> = { task, log, secrets, startedMs, kept: phases.hasAny ? keptBy(task, deps) : null };

  const templates = { nowMs: task.nowMs(), random: deps.random, uuid: deps.uuid };
  const { toTemplatesAlone } = ofAgent;
  const setUp = await phases.setUp(
    check.settings,
    variables,
    proxyFrom(context.proxyUrl, { ...variables, ...toTemplatesAlone }, templates),
  );
  const known = { ...("value" in setUp ? setUp.value.env : variables), ...toTemplatesAlone };
  const unmasked = unmaskedSecrets(task, [check.settings, context.proxyUrl], known);
  if (unmasked.length > 0) log.say("request", "WARN", `the values of these secrets are not masked: ${unmasked.join(", ")}`);
  if ("problem" in setUp) return unsent(run, check.settings, { code: "ESCRIPT", message: setUp.problem });
  const { settings, env } = setUp.value;
  const filled = fillIn(type, settings, context.proxyUrl, { ...env, ...toTemplatesAlone }, { ...templates, nowMs: task.nowMs() });
  if ("problem" in filled) return unsent(run, settings, { code: "ETEMPLATE", message: filled.problem });
  const seen = await sent(run, filled.value, runner, context);
  const tornDown = await phases.tearDown(filled.value.settings, withSentUrl(env, filled.value.settings), seen, filled.value.proxyUrl);
  const against: Finding[] = tornDown.failure === null ? [] : [{ severity: "fail", message: tornDown.failure }];
  const judgedRun = await judged(type, filled.value.settings, tornDown.observation, context.signal, against);
  return told(run, judgedRun, filled.value);
}

interface Run<T extends ProbeType> {
  readonly task: RunTask<T>;
  readonly log: JobLog;
  readonly secrets: RunSecrets;
  readonly startedMs: number;
  /** How its scripts are kept; null where it has none. */
  readonly kept: Pick<ApiCheckResult, "sandboxLevel" | "scriptEgress"> | null;
}

/** How well the scripts of this run are kept apart. */
function keptBy({ runtimeId }: RunIdentity, { sandbox }: MaterialDeps): NonNullable<Run<ProbeType>["kept"]> {
  return { sandboxLevel: sandbox.levels.get(runtimeId ?? "") ?? 0, scriptEgress: sandbox.egressWall };
}

async function sent<T extends ProbeType>(
  { task: { type }, log }: Run<T>,
  { settings, proxyUrl, unknown }: Filled<T>,
  runner: CheckRunner<T>,
  context: RunContext,
): Promise<Observation<T>> {
  if (unknown.length > 0)
    log.say("request", "WARN", `no variable has these names, so their templates stay as they are: ${unknown.join(", ")}`);
  const view: LogView<T> | undefined = logViews[type];
  if (view !== undefined) log.say("request", "INFO", view.subject(settings));
  const seen = await observed(type, runner, settings, { ...context, proxyUrl });
  const { failure, statusCode, responseTimeMs } = seen;
  if (failure === null) log.say("request", "INFO", `answered with ${statusCode} after ${Math.round(responseTimeMs)} ms`);
  else log.say("request", "ERROR", `${failure.code}: ${failure.message}`);
  return seen;
}

function told<T extends ProbeType>(run: Run<T>, judgedRun: JudgedRun<T>, filled: Filled<T>): MaterialRun<T> {
  const { task, secrets, startedMs } = run;
  const view: LogView<T> | undefined = logViews[task.type];
  const { observation } = judgedRun;
  const result = view === undefined ? observation.result : view.with(observation.result, logged(run));
  return {
    ...judgedRun,
    observation: { ...observation, startedMs, stoppedMs: Math.max(observation.stoppedMs, task.context.monotonicMs()), result },
    scrub: reportScrubber(filled.settings, filled.proxyUrl, secrets.given, secrets.values),
  };
}

/** Nobody's network is to blame, so `onlyOn: NETWORK_ERROR` retries no such attempt. */
function unsent<T extends ProbeType>(
  run: Run<T>,
  settings: SettingsOf<T>,
  failure: Pick<ProbeFailure, "code" | "message">,
): MaterialRun<T> {
  const { secrets, startedMs } = run;
  const { type, context } = run.task;
  const view: LogView<T> | undefined = logViews[type];
  const errorMessage = `${failure.code}: ${failure.message}`;
  return {
    observation: {
      startedMs,
      stoppedMs: context.monotonicMs(),
      responseTimeMs: 0,
      statusCode: null,
      metrics: {},
      failure: { ...failure, side: "target" },
      facts: { statusCode: null, responseTimeMs: 0, headers: {}, text: () => "" },
      result: view === undefined ? null : view.unsent(settings, errorMessage, logged(run)),
    },
    assertions: null,
    measures: [],
    verdict: { hasFailures: true, hasErrors: true, isDegraded: false, overMaxResponseTime: false, errorMessage, networkError: false },
    scrub: reportScrubber(settings, context.proxyUrl, secrets.given, secrets.values),
  };
}

function logged<T extends ProbeType>({ log, kept }: Run<T>): Pick<ApiCheckResult, "jobLog" | "sandboxLevel" | "scriptEgress"> {
  return { jobLog: log.entries, ...kept };
}

/** What REQUEST_URL tells: as written until the request is sent, then as it was sent. */
function urlIn({ request }: SettingsOf<ProbeType>): string | null {
  return "url" in request && typeof request.url === "string" ? request.url : null;
}

function withSentUrl(env: Variables, settings: SettingsOf<ProbeType>): Variables {
  const url = urlIn(settings);
  return url === null ? env : { ...env, REQUEST_URL: url };
}
