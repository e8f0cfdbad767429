import type { AgenticPlan } from "#contract/agent-plans.ts";
import type { AgenticAssertion, AgenticMode, AgenticSuggestion } from "#contract/checks/agentic.ts";
import { judgedAssertions } from "#domain/agentic/evidence.ts";
import type { LedTree } from "../playwright/led-tree.ts";
import type { ProbeFailure } from "../runners/check-runner.ts";
import type { AgentModel } from "./agent-model.ts";
import { converse } from "./converse.ts";
import { Journey } from "./journey.ts";
import { replay } from "./replay.ts";
import { assertionsOf, type Report, suggestionsOf } from "./tools.ts";
import type { Used } from "./used.ts";
import { firstMessages, type PromptFacts, replayedMessages } from "./words.ts";

/** A run that is to be led. */
export interface Lead extends PromptFacts {
  readonly model: AgentModel;
  readonly plan: AgenticPlan | null;
  readonly mask: (text: string) => string;
  readonly used: Used;
  /** False: the account lets no model be asked, and only a plan can lead. */
  readonly mayAsk: boolean;
  readonly limitMs: number;
  readonly monotonicMs: () => number;
  readonly wallMs: () => number;
  readonly signal: AbortSignal;
}

/** How a led run ended. Times are of `monotonicMs`. */
export interface Led {
  readonly mode: AgenticMode;
  readonly journey: Journey;
  readonly summary: string | null;
  readonly assertions: readonly AgenticAssertion[];
  readonly suggestions: readonly AgenticSuggestion[];
  readonly failure: ProbeFailure | null;
  readonly startedMs: number;
  readonly endedMs: number;
}

/** Leads a run to its report: by the steps of an earlier one while they fit, else by the model. Never throws. */
export async function leadRun(tree: LedTree, lead: Lead): Promise<Led> {
  const { monotonicMs, wallMs, mask } = lead;
  const journey = new Journey(tree, mask, wallMs);
  const startedMs = monotonicMs();
  const ended = await endOf(tree, lead, journey, startedMs).catch((error: unknown): End => {
    const message = error instanceof Error ? error.message : "the run was not led to its end";
    return { mode: lead.plan === null ? "model" : "replay", failure: { code: "ESCRIPT", message, side: "agent" } };
  });
  const led = { ...nothingFound, ...ended, journey, startedMs, endedMs: monotonicMs() };
  const failed = led.failure !== null || led.assertions.some(({ passed }) => !passed);
  await tree.ask({ tool: "end", input: failed ? { failed: "the check did not pass" } : {} }).catch(() => undefined); // it may be gone
  return led;
}

type End = Pick<Led, "mode"> & Partial<Pick<Led, "summary" | "assertions" | "suggestions" | "failure">>;

const nothingFound = { summary: null, assertions: [], suggestions: [], failure: null } as const;

async function endOf(tree: LedTree, lead: Lead, journey: Journey, startedMs: number): Promise<End> {
  const { plan, model, mask, used, limitMs, monotonicMs, signal, hosts } = lead;
  const [begun] = await tree.lineUp([{ tool: "begin", input: { hosts } }]);
  if (plan === null) await begun?.(); // no model is asked for a browser that does not start; steps of a plan wait for it themselves
  const messages = firstMessages(lead);
  if (plan !== null) {
    const replayed = await replay(plan, journey, signal);
    if (replayed.is === "down") return { mode: "replay", failure: replayed.failure };
    if (replayed.is === "fits") return { mode: "replay", summary: plan.summary, assertions: plan.assertions };
    journey.tell("WARN", `the steps of the last run that passed do not fit any more: ${replayed.why}`);
    messages.push(...replayedMessages(journey.exchanges, replayed.why));
  }
  if (!lead.mayAsk) return { mode: plan === null ? "model" : "replay", failure: notAllowed };
  const mode = plan === null ? "model" : "replay_then_model";
  const leftMs = (): number => limitMs - (monotonicMs() - startedMs);
  const ending = await converse(messages, { model, journey, mask, used, leftMs, limitMs, signal });
  return { mode, ...("failure" in ending ? ending : foundIn(ending.report, journey)) };
}

const notAllowed: ProbeFailure = {
  code: "EMODEL",
  message: "the account lets no model be asked (settings.agenticModel is off), and no steps of an earlier run lead to the end",
  side: "agent",
};

function foundIn(report: Report, journey: Journey): Pick<Led, "summary" | "assertions" | "suggestions"> {
  const assertions = judgedAssertions(assertionsOf(report), journey.evidence);
  return { summary: report.summary, assertions, suggestions: suggestionsOf(report) };
}
