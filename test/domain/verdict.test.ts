import { describe, expect, it } from "vitest";
import { ApiCheckSettings } from "#contract/checks/api.ts";
import { checkRules, type Seen } from "#domain/check-rules.ts";
import { type AttemptToJudge, judgeAttempt } from "#domain/verdict.ts";

interface Given {
  readonly assertions?: readonly { readonly source: string; readonly error?: string }[] | null;
  readonly shouldFail?: boolean;
  readonly degradedResponseTime?: number | null;
  readonly maxResponseTime?: number | null;
  readonly statusCode?: number | null;
  readonly responseTimeMs?: number;
  readonly failure?: AttemptToJudge["failure"];
}

/** As an API check would be judged. */
const judge = ({ assertions = [], statusCode = 200, responseTimeMs = 100, failure = null, ...given }: Given) => {
  const settings = ApiCheckSettings.parse({
    request: {
      method: "GET",
      url: "http://a.example",
      assertions: (assertions ?? []).map(({ source }) => ({ source, comparison: "EQUALS" })),
    },
    degradedResponseTime: 5_000,
    maxResponseTime: 20_000,
    ...given,
  });
  const seen = { statusCode, responseTimeMs, failure } as Seen<"API">; // the rules of HTTP look at nothing else
  return judgeAttempt({ ...checkRules.API(settings, seen), assertions, statusCode, failure });
};
const statusAssertion = { source: "STATUS_CODE" };
const failed = { source: "TEXT_BODY", error: "expected the body to equal" };
const refused = { code: "ECONNREFUSED", message: "connection refused" };

describe("judgeAttempt", () => {
  it.each([
    [{ statusCode: 200 }, false],
    [{ statusCode: 399 }, false],
    [{ statusCode: 400 }, true],
    [{ statusCode: 503 }, true],
    [{ statusCode: 503, shouldFail: true }, false],
    [{ statusCode: 200, shouldFail: true }, false],
    [{ statusCode: 404, assertions: [statusAssertion] }, false],
    [{ statusCode: 404, assertions: [{ source: "TEXT_BODY" }] }, true],
    [{ statusCode: 404, assertions: [{ ...statusAssertion, error: "no" }] }, true],
    [{ assertions: [failed] }, true],
    [{ statusCode: 404, shouldFail: true, assertions: [failed] }, true],
    [{ assertions: null }, false],
    [{ failure: refused, statusCode: null }, true],
    [{ failure: refused, statusCode: null, shouldFail: true }, true],
    [{ failure: refused }, true],
    [{ responseTimeMs: 20_000.4 }, false],
    [{ responseTimeMs: 20_000.5 }, true],
    [{ responseTimeMs: 99_999, maxResponseTime: null }, false],
  ] as [Given, boolean][])("%o fails: %s", (given, hasFailures) => {
    const verdict = judge(given);
    expect(verdict.hasFailures).toBe(hasFailures);
    expect(verdict.errorMessage !== null).toBe(hasFailures || verdict.isDegraded);
  });

  it("calls a slow pass degraded, and a slow failure only failed", () => {
    expect(judge({ responseTimeMs: 5_001 })).toMatchObject({ isDegraded: true, hasFailures: false });
    expect(judge({ responseTimeMs: 5_000 }).isDegraded).toBe(false);
    expect(judge({ responseTimeMs: 5_001, assertions: [failed] }).isDegraded).toBe(false);
    expect(judge({ responseTimeMs: 30_000 })).toMatchObject({
      isDegraded: false,
      overMaxResponseTime: true,
      hasFailures: true,
      hasErrors: false,
    });
    expect(judge({ responseTimeMs: 30_000, degradedResponseTime: null, maxResponseTime: null }).isDegraded).toBe(false);
  });

  it("says which limit a slow attempt passed", () => {
    expect(judge({ responseTimeMs: 5_001 }).errorMessage).toBe("response time 5001 ms is over the degraded limit of 5000 ms");
    expect(judge({ responseTimeMs: 5_000 }).errorMessage).toBeNull();
    expect(judge({ responseTimeMs: 20_001 }).errorMessage).toBe("response time 20001 ms is over the limit of 20000 ms");
  });

  it("tells a network error only where no status code arrived", () => {
    expect(judge({ failure: refused, statusCode: null })).toMatchObject({
      hasErrors: true,
      networkError: true,
      errorMessage: "ECONNREFUSED: connection refused",
    });
    expect(judge({ failure: refused, statusCode: 200 })).toMatchObject({ hasErrors: true, networkError: false });
    expect(judge({ assertions: [failed] })).toMatchObject({ hasErrors: false, networkError: false, errorMessage: failed.error });
  });
});
