import type { CheckResult } from "#contract/check-results.ts";
import type { PlaywrightLogLine } from "#contract/checks/playwright-run.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { getTestResultLinks, getTestResultPart, getTestSessionLink } from "#contract/code-sessions.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { type Handler, handler } from "../http/handler.ts";
import { testSessionUuid } from "../kinds/ids.ts";
import { notFound } from "../kinds/not-found.ts";
import type { ResultRow } from "../storage/storage.ts";
import { assetsIn } from "./result-assets.ts";
import { membersOf } from "./result-view.ts";
import { assetFolder, testResultView } from "./test-session-view.ts";
import { findResult, findResultAlone, findTestSession, type TestSessionDeps } from "./test-sessions.ts";

/** What the public command line asks of a result beside what it was told live. */
export function testResultPartHandlers(deps: TestSessionDeps): readonly Handler[] {
  const { publicUrl } = deps;
  return [
    handler(getTestSessionLink, async ({ params: { testSessionId } }, { caller }) => {
      const session = await findTestSession(deps, caller.account.id, testSessionId);
      return { link: `${publicUrl()}/test-sessions/${testSessionUuid(session)}` };
    }),
    handler(getTestResultLinks, async ({ params }, { caller }) => {
      const { session, run, row } = await findResult(deps, caller.account.id, params);
      const { testSessionResultId: id, testSessionResultLink } = testResultView(session, run, row, publicUrl());
      const assets = row === undefined ? [] : assetsIn(assetFolder(session, id, publicUrl()), row);
      const ofType = (wanted: string): string[] => assets.filter(({ type }) => type === wanted).map(({ url }) => url);
      return {
        testResultLink: testSessionResultLink,
        testTraceLinks: ofType("trace"),
        videoLinks: ofType("video"),
        screenshotLinks: ofType("screenshot"),
      };
    }),
    handler(getTestResultPart, async ({ params: { part, region, key } }, { caller }) => {
      const { session, run, row } = await findResultAlone(deps, caller.account.id, key);
      if (session.locationCode !== region) throw notFound("test session result", key);
      const { type } = run.check;
      const members = membersOf({ type, detailJson: row?.detailJson ?? null }, []);
      return part === "log" ? logIn(type, members, row) : runDataIn(members);
    }),
  ];
}

type Members = ReturnType<typeof membersOf>;

/** Empty where nothing was logged, or nothing is known of the run: the client reads on in what it gets. */
function logIn(type: CheckTypeName, members: Members, row: ResultRow | undefined): unknown {
  if (traitsOf(type).request === "http") return members.apiCheckResult?.jobLog ?? { setup: [], request: [], teardown: [] };
  return scriptLines(members, row);
}

/** What a script logged. @param row with its details */
export function scriptLog(type: CheckTypeName, row: ResultRow): readonly PlaywrightLogLine[] {
  return scriptLines(membersOf({ type, detailJson: row.detailJson }, []), row);
}

function scriptLines(
  { browserCheckResult, multiStepCheckResult, playwrightCheckResult }: Members,
  row: ResultRow | undefined,
): readonly PlaywrightLogLine[] {
  const lines = (browserCheckResult ?? multiStepCheckResult ?? playwrightCheckResult)?.jobLog ?? [];
  // The client shows nothing else of a script that failed.
  return row?.errorMessage && !row.isDegraded ? [...lines, { time: row.stoppedAtMs, level: "ERROR", msg: row.errorMessage }] : lines;
}

/** The request and what came of it, under the names that the client has for them. */
function runDataIn(members: Members): unknown {
  const { apiCheckResult, dnsCheckResult, icmpCheckResult, tcpCheckResult } = members;
  if (dnsCheckResult !== null) return dnsData(dnsCheckResult);
  if (icmpCheckResult !== null) return icmpData(icmpCheckResult);
  return apiCheckResult ?? tcpCheckResult ?? members.tracerouteCheckResult ?? members.grpcCheckResult ?? members.sslCheckResult ?? {};
}

function dnsData({ response, ...data }: NonNullable<CheckResult["dnsCheckResult"]>): unknown {
  if (response === null) return { ...data, response };
  const { responseCode: returnCode, timingPhases, text: answer } = response;
  return { ...data, response: { returnCode, responseTime: Math.round(timingPhases.total), answer } };
}

/** The client writes figures of every packet; without a packet that came back there are none. */
function icmpData({ response, ...data }: NonNullable<CheckResult["icmpCheckResult"]>): unknown {
  if (response === null || data.requestError !== null || response.packetsReceived > 0) return { ...data, response };
  return { ...data, response: null, requestError: `none of ${response.packetsSent} packets came back from ${response.resolvedIp}` };
}
