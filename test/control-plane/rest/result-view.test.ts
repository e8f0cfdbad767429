import { describe, expect, it } from "vitest";
import { resultView, writtenResults } from "../../../src/control-plane/rest/result-view.ts";
import type { CheckRow, ResultRow } from "../../../src/control-plane/storage/storage.ts";
import { t0 } from "../storage/fixture-data.ts";

const base = "https://outpost.example";
const detail = { response: { status: 200, body: 'é "apiCheckResult":null' }, jobLog: null, pcapDataUrl: null };
const capture = { id: 1, name: "a.pcap", type: "pcap", contentType: "application/vnd.tcpdump.pcap" } as const;

/** Only what views read of a check. */
function check(name: string): CheckRow {
  return { id: 1, uuid: "3f0e7f3e-5d8a-4f6e-9d0a-6a1c9a1b2c3d", type: "API", definition: { name } } as CheckRow;
}

function row(change: Partial<ResultRow>): ResultRow {
  return {
    checkId: 1,
    type: "API",
    resultType: "FINAL",
    jobNo: 256,
    attempt: 1,
    sessionNo: 1,
    runAtMs: t0,
    locationCode: "berlin",
    startedAtMs: t0,
    stoppedAtMs: t0 + 100,
    createdAtMs: t0 + 200,
    responseTimeMs: 100.4,
    statusCode: 200,
    hasFailures: false,
    hasErrors: false,
    isDegraded: false,
    isCancelled: false,
    overMaxResponseTime: false,
    agentSide: false,
    isLate: false,
    missedReason: null,
    queuedMs: 3,
    loopDelayMs: 0.5,
    errorGroupIds: [],
    errorMessage: null,
    detailJson: Buffer.from(JSON.stringify(detail)),
    assets: [],
    ...change,
  };
}

describe("results that are written with their details as they are stored", () => {
  it.each([
    { case: "none", rows: [] },
    { case: "one", rows: [row({})] },
    { case: "a detail of a check type that has no capture", rows: [row({ type: "TCP", detailJson: Buffer.from('{"response":"é"}') })] },
    { case: "one without a detail, and one that was missed", rows: [row({ detailJson: null }), row({ resultType: "MISSED" })] },
    { case: "a detail that is none", rows: [row({ detailJson: Buffer.from("null") }), row({ detailJson: Buffer.from("7") })] },
    { case: "a type that no agent runs", rows: [row({ type: "BROWSER" })] },
    { case: "a capture", rows: [row({ assets: [capture] }), row({})] },
    {
      case: "a capture that is gone",
      rows: [row({ detailJson: Buffer.from(JSON.stringify({ ...detail, pcapDataUrl: "https://elsewhere.example/a.pcap" })) })],
    },
  ])("read as those that are written whole: $case", ({ rows }) => {
    const named = check('"apiCheckResult":null, \\"apiCheckResult\\":null');
    const whole = JSON.stringify(rows.map((one) => resultView(named, one, base)));
    expect(Buffer.concat(writtenResults(named, rows, base)).toString()).toBe(whole);
  });
});
