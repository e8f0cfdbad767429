import type { AnalysisWorkerDeps } from "../../../src/control-plane/root-causes/analysis-worker.ts";
import type { AnalysisRow, TestFailureGroupRow } from "../../../src/control-plane/storage/storage.ts";
import { eventually } from "../control-plane-under-test.ts";

interface Kept extends AnalysisRow {
  readonly isClaimed: boolean;
}

/** Analyses in memory, of failures of which only the message is known. */
export function analysisStore() {
  const rows = new Map<string, Kept>();
  const set = (uuid: string, change: Partial<Kept>): void => {
    const before = rows.get(uuid);
    if (before !== undefined) rows.set(uuid, { ...before, ...change });
  };
  const unused = (): never => {
    throw new Error("nothing asks for that here");
  };
  const analyses: AnalysisWorkerDeps["analyses"] = {
    request: unused,
    find: unused,
    ofGroup: unused,
    latest: unused,
    spend: unused,
    spentSince: unused,
    prune: unused,
    ask: unused,
    unaskedEpisodes: async () => [],
    async claim(_nowMs, _forMs, limit) {
      const free = [...rows.values()].filter(({ status, isClaimed }) => status === "PENDING" && !isClaimed).slice(0, limit);
      for (const { uuid, attempts } of free) set(uuid, { isClaimed: true, attempts: attempts + 1 });
      return free.map(({ uuid }) => rows.get(uuid) as AnalysisRow);
    },
    async end(uuid, status, completed) {
      if (rows.get(uuid)?.status === "PENDING") set(uuid, { status, completed });
    },
  };
  const failure = { rawMessage: "ECONNREFUSED: no", lastSeenMs: 0 } as TestFailureGroupRow;
  const deps = {
    analyses,
    signals: { onAlerts: () => () => undefined },
    testFailures: { byId: async (_account: number, id: number) => (id === 404 ? undefined : failure) },
    errorGroups: { byId: unused },
    askModel: async () => null,
    nowMs: () => 0,
    monotonicMs: () => 0,
  } as unknown as AnalysisWorkerDeps; // stores of checks and results are not asked for a message alone
  return {
    deps,
    ask(uuid: string, testFailureGroupId = 1) {
      const row = {
        uuid,
        accountId: 1,
        errorGroupId: null,
        testFailureGroupId,
        userContext: "",
        status: "PENDING",
        completed: null,
      } as const;
      rows.set(uuid, { ...row, createdAtMs: 0, askedBy: null, attempts: 0, isClaimed: false });
    },
    states: () => Object.fromEntries([...rows].map(([uuid, { status }]) => [uuid, status])),
    expireClaims() {
      for (const uuid of rows.keys()) set(uuid, { isClaimed: false });
    },
    until: (holds: () => boolean) => eventually(async () => holds()),
  };
}
