import { describe, expect, it } from "vitest";
import { CheckResult, CheckResultList, resultFields } from "#contract/check-results.ts";
import { EndedCheckSession } from "#contract/check-sessions.ts";

const id = "0d3f4b2e-6c1a-4f7e-9a51-1f2e3d4c5b6a";

const missed = {
  id,
  name: "shop",
  checkId: id,
  hasFailures: false,
  hasErrors: true,
  isDegraded: false,
  isCancelled: false,
  overMaxResponseTime: false,
  runLocation: "office",
  startedAt: null,
  stoppedAt: null,
  created_at: "2026-05-01T00:00:00.000Z",
  responseTime: 0,
  apiCheckResult: null,
  browserCheckResult: null,
  multiStepCheckResult: null,
  agenticCheckResult: null,
  playwrightCheckResult: null,
  tracerouteCheckResult: null,
  grpcCheckResult: null,
  sslCheckResult: null,
  tcpCheckResult: null,
  dnsCheckResult: null,
  icmpCheckResult: null,
  checkRunId: 1_777_593_600_000,
  attempts: 1,
  resultType: "MISSED",
  sequenceId: id,
  traceId: null,
  errorGroupIds: [],
  queuedMs: 360_000,
  eventLoopDelayMs: 0,
  agentSide: false,
  late: false,
  missedReason: "no_agent",
  errorMessage: null,
  assets: [],
};

describe("a check result", () => {
  it("can be a run that never started", () => {
    expect(CheckResult.parse(missed)).toEqual(missed);
  });

  it.each(["responseTime", "checkRunId", "attempts"])("keeps %s an integer", (field) => {
    expect(CheckResult.safeParse({ ...missed, [field]: 1.5 }).error?.issues[0]?.path).toEqual([field]);
  });

  it("can be asked for field by field", () => {
    expect(resultFields).toEqual(expect.arrayContaining([...Object.keys(missed), "createdAt"]));
  });

  it("comes whole or in part in the cursor list", () => {
    const list = { length: 2, entries: [missed, { id, createdAt: "2026-05-01T00:00:00.000Z" }], nextId: null };
    expect(CheckResultList.parse(list)).toEqual(list);
  });
});

describe("a session that ended", () => {
  const session = {
    checkSessionId: id,
    checkSessionLink: "http://localhost:8080/sessions/1",
    checkId: id,
    checkType: "API",
    name: "shop",
    status: "CANCELLED",
    startedAt: "2026-05-01T00:00:00.000Z",
    stoppedAt: "2026-05-01T00:00:01.000Z",
    timeElapsed: 1000,
    runLocations: ["office"],
    runSource: "TRIGGER_API",
    results: [],
  };

  it("has a final status and an end", () => {
    expect(EndedCheckSession.parse(session)).toEqual(session);
    expect(EndedCheckSession.safeParse({ ...session, status: "PROGRESS" }).error?.issues[0]?.path).toEqual(["status"]);
    expect(EndedCheckSession.safeParse({ ...session, stoppedAt: null }).error?.issues[0]?.path).toEqual(["stoppedAt"]);
  });
});
