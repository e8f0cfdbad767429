import { Counter, type Registry } from "prom-client";

/** How the operator's model was used since the start. */
export interface ModelUseTotals {
  readonly answered: number;
  readonly failed: number;
  readonly tokens: { readonly prompt: number; readonly completion: number };
  /** By the operator's prices; null where there are none. */
  readonly cost: number | null;
  /** By how they came to their verdict. */
  readonly runs: Readonly<Record<string, number>>;
}

type Values = readonly (readonly [Record<string, string>, number])[];

/** Counters that are there where a model is set. @param totals null where none is */
export function addModelCounters(registers: Registry[], totals: () => ModelUseTotals | null): void {
  const counter = (name: string, help: string, labelNames: string[], read: (now: ModelUseTotals) => Values): void => {
    const made: Counter = new Counter({
      name,
      help,
      labelNames,
      registers,
      collect: () => {
        made.reset();
        const now = totals();
        if (now !== null) for (const [labels, value] of read(now)) made.inc(labels, value);
      },
    });
  };
  counter("outpost_agent_agentic_runs_total", "Runs of agentic checks by what led them", ["mode"], ({ runs }) =>
    Object.entries(runs).map(([mode, count]) => [{ mode }, count] as const),
  );
  counter("outpost_agent_model_calls_total", "Questions to the model of agentic checks", ["outcome"], ({ answered, failed }) => [
    [{ outcome: "answered" }, answered],
    [{ outcome: "failed" }, failed],
  ]);
  counter("outpost_agent_model_tokens_total", "Tokens of that model, as its endpoint counts them", ["kind"], ({ tokens }) => [
    [{ kind: "prompt" }, tokens.prompt],
    [{ kind: "completion" }, tokens.completion],
  ]);
  counter("outpost_agent_model_cost_total", "What they cost by AGENTIC_PRICE_*, in its currency", [], ({ cost }) => [[{}, cost ?? 0]]);
}
