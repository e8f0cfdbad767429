import type { JobScript } from "#contract/agent-protocol.ts";
import type { CheckType, SettingsOf } from "#contract/checks/index.ts";
import { AppError } from "#domain/app-error.ts";
import { type RequestWithSecrets, sensitiveValues } from "#domain/scrub/sensitive.ts";
import type { AgentClock } from "../host/clock.ts";
import type { Observation, RunContext } from "../runners/check-runner.ts";
import type { Sandbox, ScriptOutcome, ScriptPhase, ScriptRequest } from "../sandbox/sandbox.ts";
import { type Checked } from "./checked.ts";
import { fitting } from "./fitting.ts";
import type { JobLog } from "./job-log.ts";
import { madeLimits, type RunIdentity, type RunSecrets, type Variables } from "./run-variables.ts";
import { type ScriptView, scriptViews } from "./script-view.ts";

export interface PhaseDeps {
  readonly sandbox: Sandbox;
  readonly clock: AgentClock;
  readonly log: JobLog;
  readonly secrets: RunSecrets;
  /** Scripts reach what the request may reach, in the same way. */
  readonly context: Pick<RunContext, "signal" | "resolver" | "egress">;
}

/** The scripts around one request, in their phases. Without scripts, or for a type that ignores them, both phases change nothing. */
export class ScriptPhases<T extends CheckType> {
  readonly #view: ScriptView<T> | undefined;
  readonly #run: RunIdentity;
  readonly #deps: PhaseDeps;

  constructor(type: T, run: RunIdentity, deps: PhaseDeps) {
    this.#view = scriptViews[type];
    this.#run = run;
    this.#deps = deps;
  }

  get hasAny(): boolean {
    return this.#scripts("setup").length + this.#scripts("teardown").length > 0;
  }

  /** @returns the settings and `process.env` as the scripts left them, or why the request must not be sent */
  async setUp(
    settings: SettingsOf<T>,
    env: Variables,
    proxyUrl: string | null,
  ): Promise<Checked<{ readonly settings: SettingsOf<T>; readonly env: Variables }>> {
    const view = this.#view;
    const scripts = this.#scripts("setup");
    if (view === undefined || scripts.length === 0) return { value: { settings, env } };
    const request = view.request(settings);
    const outcome = await this.#ran({ phase: "setup", scripts, env, request, response: null }, proxyUrl);
    if (outcome.failure !== null) return { problem: outcome.failure };
    const changed = view.withChanges(settings, request, outcome.request);
    if ("value" in changed) return { value: { settings: changed.value, env: outcome.env } };
    const problem = `setup left a request that cannot be sent: ${changed.problem}`;
    this.#deps.log.say("setup", "ERROR", problem);
    return { problem };
  }

  /** @returns the answer as the scripts left it, and what failed among them */
  async tearDown(
    settings: SettingsOf<T>,
    env: Variables,
    observation: Observation<T>,
    proxyUrl: string | null,
  ): Promise<{ readonly observation: Observation<T>; readonly failure: string | null }> {
    const view = this.#view;
    const scripts = this.#scripts("teardown");
    if (view === undefined || scripts.length === 0) return { observation, failure: null };
    this.#deps.secrets.add(view.secretsOf(observation));
    const handed = fitting(env, view.request(settings), view.response(observation));
    const { request, response } = handed;
    if (handed.isCut || view.isCut(observation))
      this.#deps.log.say("teardown", "WARN", "a body is too long for scripts: they see but the beginning of it");
    const outcome = await this.#ran({ phase: "teardown", scripts, env, request, response }, proxyUrl);
    const { failure } = outcome;
    if (failure !== null || response === null || outcome.response === null) return { observation, failure };
    const { body } = outcome.response;
    return { observation: body === response.body ? observation : view.withBody(observation, body), failure };
  }

  async #ran(
    phase: Pick<ScriptPhase, "phase" | "scripts" | "env" | "request" | "response">,
    proxyUrl: string | null,
  ): Promise<ScriptOutcome> {
    const { sandbox, clock, log, secrets, context } = this.#deps;
    const { signal, resolver, egress } = context;
    const network = { resolver, egress, proxyUrl };
    const snippets = this.#run.material?.snippets ?? {};
    const outcome = await sandbox.run({ ...phase, runtimeId: this.#runtimeId(), snippets, network, signal });
    signal.throwIfAborted();
    for (const { env, headers } of [...outcome.made, { env: outcome.env, headers: outcome.request.headers }]) {
      secrets.addOf(env);
      secrets.addMade(sensitiveValues(withHeaders(headers)));
    }
    secrets.addMade(sensitiveValues({ ...withHeaders({}), url: outcome.request.url }));
    if (secrets.hasTooMany) return this.#withoutWords(phase, outcome);
    await secrets.prepare();
    log.add(phase.phase, outcome.log, clock.wallMs() - log.nowMs());
    if (outcome.failure !== null) log.say(phase.phase, "ERROR", outcome.failure);
    return outcome;
  }

  /** A phase that made more secrets than can be masked: it fails, and nothing of what it wrote is kept. */
  #withoutWords(
    { phase, env, request, response }: Pick<ScriptOutcome, "env" | "request" | "response"> & Pick<ScriptPhase, "phase">,
    { log }: ScriptOutcome,
  ): ScriptOutcome {
    const { lines, characters } = madeLimits;
    const failure =
      `the ${phase} scripts set ${this.#deps.secrets.madeLines} secrets (SERVICE_SECRET_*, secret variables, sensitive headers, each line for itself); ` +
      `at most ${lines} with ${characters} characters in all can be masked, so what the scripts wrote is not kept (${log.length} lines of log)`;
    this.#deps.log.say(phase, "ERROR", failure);
    return { env, request, response, failure, log: [], made: [] };
  }

  #scripts(phase: "setup" | "teardown"): readonly JobScript[] {
    return this.#view === undefined ? [] : (this.#run.material?.[phase] ?? []);
  }

  #runtimeId(): string {
    const { runtimeId } = this.#run;
    if (runtimeId !== null) return runtimeId;
    throw new AppError("invalid_input", "the check has scripts and no runtime: choose one for the check, its group or its account");
  }
}

/** Scripts may log what they put into the request, also into one that is never sent. */
function withHeaders(headers: ScriptRequest["headers"]): RequestWithSecrets {
  return { url: "", headers: Object.entries(headers).map(([key, value]) => ({ key, value, locked: false })), queryParameters: [] };
}
