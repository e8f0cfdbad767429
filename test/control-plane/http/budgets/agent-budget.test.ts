import { describe, expect, it } from "vitest";
import { heartbeat, reportAttempts } from "../../../../src/contract/agent-protocol.ts";
import { createAgentBudget } from "../../../../src/control-plane/http/budgets/agent-budget.ts";
import type { AgentCaller } from "../../../../src/control-plane/http/handler.ts";

const agent = (id: number, keyId = "key") => ({ agent: { id, keyId } }) as AgentCaller; // the budget looks at nothing else

describe("the budget of agents", () => {
  it("lets an agent of a thousand results a second work for an hour, and one that empties its outbox", () => {
    let nowMs = 0;
    const accountOf = createAgentBudget(50, () => nowMs);
    for (let batch = 0; batch < 70 * 3_600; batch += 1) {
      nowMs += 1_000 / 70;
      const account = accountOf(reportAttempts, agent(1));
      account.spend("bytes", 2_400_000 / 70);
      account.spend("cpuMs", 150 / 70);
    }
    // 4 MB of results, one batch after the other.
    for (let batch = 0; batch < 15; batch += 1) {
      nowMs += 400;
      const account = accountOf(reportAttempts, agent(2));
      account.spend("bytes", 4_194_304);
      account.spend("cpuMs", 190);
    }
    expect(() => accountOf(reportAttempts, agent(2))).not.toThrow();
  });

  it("says when an agent may go on that took too much, and goes on then", () => {
    let nowMs = 0;
    const accountOf = createAgentBudget(50, () => nowMs);
    accountOf(reportAttempts, agent(1)).spend("cpuMs", 2_000 + 500);
    expect(() => accountOf(reportAttempts, agent(1))).toThrow("This agent took more time of the processor than there is for it");
    expect(() => accountOf(heartbeat, agent(1))).not.toThrow();
    expect(() => accountOf(reportAttempts, agent(2))).not.toThrow();
    nowMs += 1_100;
    expect(() => accountOf(reportAttempts, agent(1))).not.toThrow();
  });

  it("counts the agents of one key together, and those of other keys not with them", () => {
    const accountOf = createAgentBudget(50, () => 0);
    for (let id = 0; id < 8; id += 1) accountOf(reportAttempts, agent(id)).spend("bytes", 32 * 1_048_576);
    expect(() => accountOf(reportAttempts, agent(99))).toThrow("The agents of this location key together took more bytes");
    expect(() => accountOf(reportAttempts, agent(99, "other"))).not.toThrow();
  });
});
