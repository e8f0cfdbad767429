import type { CauseFacts, PlaceFact, RunFact } from "../../../src/domain/root-causes/cause-facts.ts";
import { type Seen, seenOf } from "../../../src/domain/root-causes/seen.ts";

export const t0 = Date.UTC(2026, 10, 26, 12);
export const minute = 60_000;

export const nothingSeen: Seen = seenOf("", { error: null, statusCode: null, detail: null });

export function runFact(change: Partial<Omit<RunFact, "seen">> & { readonly seen?: Partial<Seen> } = {}): RunFact {
  const { seen, ...rest } = change;
  const base = {
    checkId: "shop",
    resultId: "r-bad",
    location: "Berlin",
    startedAtMs: t0,
    responseTimeMs: 100,
    isDegraded: false,
    agentSide: false,
  };
  return { ...base, error: null, ...rest, seen: { ...nothingSeen, ...seen } };
}

export function goodRun(seen: Partial<Seen> = {}, resultId = "r-good"): RunFact {
  return runFact({ resultId, startedAtMs: t0 - 10 * minute, seen: { statusCode: 200, ...seen } });
}

export function place(location: string, isFailing: boolean): PlaceFact {
  return { location, failed: Number(isFailing), passed: Number(!isFailing), isFailing, resultId: `r-${location}` };
}

/** A check of shop.example that failed once in Berlin, with nothing around it. */
export function scene(change: Partial<CauseFacts> = {}): CauseFacts {
  return {
    standing: "failing",
    check: { id: "shop", name: "Shop", type: "API", host: "shop.example" },
    failure: runFact(),
    good: [goodRun()],
    sinceMs: t0,
    places: [place("Berlin", true)],
    others: [],
    trace: null,
    changes: [],
    windows: [],
    agentChange: null,
    script: null,
    ...change,
  };
}
