import { declareArtifact, putArtifactPart } from "#contract/agent-artifacts.ts";
import { reportAttempt, reportAttempts } from "#contract/agent-protocol.ts";
import type { Operation } from "#contract/operation.ts";
import { AppError } from "#domain/app-error.ts";
import type { Callers } from "../handler.ts";
import { type Allowance, Spending } from "./spending.ts";

const units = ["requests", "bytes", "cpuMs"] as const;
type Unit = (typeof units)[number];
type Allowances = Readonly<Record<Unit, Allowance>>;

const mebibyte = 1_048_576;

type AgentWork = "results" | "control";

/**
 * What agents bring, and what keeps their leases, in purses of their own: an agent that uploads too much still tells that it lives.
 * An agent at 1,000 results a second sends 2.4 MB in at most 70 requests and takes about 150 ms of a processor.
 *
 * @param cpuMs of results, that one agent may take in a second
 */
function allowances(cpuMs: number): Readonly<Record<AgentWork, { readonly session: Allowances; readonly key: Allowances }>> {
  return {
    results: {
      session: allowancesOf({ requests: 200, bytes: 32 * mebibyte, cpuMs }),
      key: allowancesOf({ requests: 1_000, bytes: 64 * mebibyte, cpuMs: 1.5 * cpuMs }),
    },
    control: {
      session: allowancesOf({ requests: 200, bytes: 4 * mebibyte, cpuMs: 0.5 * cpuMs }),
      key: allowancesOf({ requests: 1_000, bytes: 16 * mebibyte, cpuMs: 0.8 * cpuMs }),
    },
  };
}

/** Four seconds' worth at once: the first batches after an outage are not held up. */
function allowancesOf(perSecond: Readonly<Record<Unit, number>>): Allowances {
  const of = (unit: Unit): Allowance => ({ perSecond: perSecond[unit], burst: 4 * perSecond[unit] });
  return { requests: of("requests"), bytes: of("bytes"), cpuMs: of("cpuMs") };
}

type AgentsCaller = Callers["agent-key" | "agent-session"];

/** What one request is paid from: purses of its agent, and of all agents of its location key. */
export interface Account {
  /** Does what takes time of the processor now, and pays for it. */
  readonly measured: <T>(work: () => T) => T;
  readonly spend: (unit: Unit, amount: number) => void;
}

/** Whoever is no agent pays nothing here. */
export const payNothing: Account = { measured: (work) => work(), spend: () => undefined };

/**
 * Bounds what one agent, and all agents of one location key, may cost.
 *
 * @param cpuPercent of one processor, that one agent's results may take
 * @param nowMs a clock that never goes back
 * @returns what counts a request. It throws AppError rate_limited while something was overdrawn
 */
export function createAgentBudget(cpuPercent: number, nowMs: () => number): (operation: Operation, caller: AgentsCaller) => Account {
  const pursesOf = (of: Allowances) => units.map((unit) => ({ unit, purse: new Spending(of[unit], nowMs) }));
  const { results, control } = allowances(10 * cpuPercent);
  const purses = {
    results: { session: pursesOf(results.session), key: pursesOf(results.key) },
    control: { session: pursesOf(control.session), key: pursesOf(control.key) },
  };

  return (operation, caller) => {
    const { session, key } = purses[workOf(operation)];
    const who = "agent" in caller ? { agent: String(caller.agent.id), key: caller.agent.keyId } : { agent: null, key: caller.key.id };
    const paid = [
      ...(who.agent === null ? [] : session.map((one) => ({ ...one, who: who.agent, whose: "This agent" }))),
      ...key.map((one) => ({ ...one, who: who.key, whose: "The agents of this location key together" })),
    ];
    for (const one of paid) {
      const waitMs = one.purse.waitMs(one.who);
      if (waitMs > 0) throw overdrawn(one.whose, one.unit, waitMs);
    }
    const spend = (unit: Unit, amount: number): void => {
      for (const one of paid) if (one.unit === unit) one.purse.spend(one.who, amount);
    };
    spend("requests", 1);
    return {
      spend,
      measured(work) {
        const before = process.threadCpuUsage();
        try {
          return work();
        } finally {
          const { user, system } = process.threadCpuUsage(before);
          spend("cpuMs", (user + system) / 1_000);
        }
      },
    };
  };
}

const ofResults: ReadonlySet<string> = new Set([reportAttempt.id, reportAttempts.id, declareArtifact.id, putArtifactPart.id]);

function workOf({ id }: Operation): AgentWork {
  return ofResults.has(id) ? "results" : "control";
}

const told = { requests: "requests", bytes: "bytes", cpuMs: "time of the processor" } as const satisfies Record<Unit, string>;

function overdrawn(whose: string, unit: Unit, waitMs: number): AppError {
  return new AppError("rate_limited", `${whose} took more ${told[unit]} than there is for it`, {
    attributes: { retryAfterSeconds: waitMs / 1_000 },
  });
}
