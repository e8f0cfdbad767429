import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { addModelCounters, type ModelUseTotals } from "../../src/agent/health/model-metrics.ts";

const used: ModelUseTotals = {
  answered: 7,
  failed: 2,
  tokens: { prompt: 5_000, completion: 300 },
  cost: 0.013,
  runs: { model: 1, replay: 9, replay_then_model: 0, none: 0 },
};

describe("metrics of the model of agentic checks", () => {
  it("count runs by their way, calls, tokens and cost, as they are when they are read", async () => {
    const registry = new Registry();
    let now: ModelUseTotals | null = used;
    addModelCounters([registry], () => now);
    const text = await registry.metrics();
    for (const line of [
      'outpost_agent_agentic_runs_total{mode="model"} 1',
      'outpost_agent_agentic_runs_total{mode="replay"} 9',
      'outpost_agent_model_calls_total{outcome="failed"} 2',
      'outpost_agent_model_tokens_total{kind="prompt"} 5000',
      'outpost_agent_model_tokens_total{kind="completion"} 300',
      "outpost_agent_model_cost_total 0.013",
    ])
      expect(text).toContain(line);
    now = { ...used, answered: 8 };
    expect(await registry.metrics()).toContain('outpost_agent_model_calls_total{outcome="answered"} 8');
    now = null;
    expect(await registry.metrics()).not.toMatch(/^outpost_agent_model_calls_total\{/m);
  });
});
