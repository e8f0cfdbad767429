import { AppError } from "#domain/app-error.ts";
import type { CauseFacts, OtherCheckFact, RunFact, Standing } from "#domain/root-causes/cause-facts.ts";
import { placeFacts } from "#domain/root-causes/place-facts.ts";
import { codeOf, seenOf } from "#domain/root-causes/seen.ts";
import { checkTarget } from "#domain/root-causes/target-host.ts";
import { traceConclusion } from "#domain/root-causes/trace-conclusion.ts";
import { resultUuid, resultUuidOf } from "../kinds/ids.ts";
import type {
  CauseStore,
  CheckIndexStore,
  CheckRow,
  CheckSituationStore,
  CheckStore,
  ErrorGroupRow,
  Neighbourhood,
  ResultRow,
  ResultStore,
} from "../storage/storage.ts";
import { type ChangeDeps, readChanges } from "./read-changes.ts";
import { readScript } from "./read-script.ts";

export interface FactDeps extends ChangeDeps {
  readonly causes: CauseStore;
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly checkIndex: Pick<CheckIndexStore, "byUuids">;
  readonly results: Pick<ResultStore, "list" | "byId" | "asset">;
  readonly checkSituations: Pick<CheckSituationStore, "maintenance">;
}

const minuteMs = 60_000;
/** Runs that are compared, and how far back others are looked at. */
const [goodRuns, longestLookMs] = [5, 60 * minuteMs];
/** Checks that run seldom meet the same trouble later. */
const [leastSlackMs, mostSlackMs] = [2 * minuteMs, 15 * minuteMs];

/**
 * All that rules look at for an error group: the newest run that failed so, the last good ones before, and what was around them.
 *
 * @throws {AppError} not_found where no such run is stored any more
 */
export async function readFacts(deps: FactDeps, accountId: number, group: ErrorGroupRow): Promise<CauseFacts> {
  const check = await deps.checks.byUuid(accountId, group.checkUuid);
  const failed = check && (await failedRun(deps.results, check, group));
  if (check === undefined || failed === undefined) throw new AppError("not_found", "No run of this error is stored any more");
  return factsOfRun(deps, check, failed, "failing");
}

/** So far back a run is looked for that was degraded. */
const [longestSinceMs, mostLooked] = [7 * 24 * 60 * minuteMs, 100];

/** The same of a check whose newest run was degraded; undefined where none is stored. */
export async function readDegradation(deps: FactDeps, check: CheckRow, nowMs: number): Promise<CauseFacts | undefined> {
  const asked = { checkId: check.id, resultTypes: ["FINAL"], hasFailures: false, fromMs: nowMs - longestSinceMs } as const;
  const { items } = await deps.results.list({ ...asked, limit: mostLooked, withDetails: false });
  const newest = items.find(({ isDegraded, isCancelled }) => isDegraded && !isCancelled);
  const run = newest && (await deps.results.byId(check.id, resultUuid(newest)));
  return run && factsOfRun(deps, check, run, "degraded");
}

async function factsOfRun(deps: FactDeps, check: CheckRow, failed: ResultRow, standing: Standing): Promise<CauseFacts> {
  const { causes, checkIndex, results, checkSituations } = deps;
  const { accountId } = check;
  const [known] = await checkIndex.byUuids(accountId, [check.uuid]);
  const { locationCode, startedAtMs } = failed;
  const before = { checkId: check.id, locationCode, toMs: startedAtMs, resultTypes: ["FINAL"], hasFailures: false } as const;
  const good = await goodBefore(results, before, standing);
  const lastGoodMs = good[0]?.startedAtMs ?? startedAtMs - 24 * 60 * minuteMs;
  const sinceMs = Math.min((await causes.firstFailure(check.id, locationCode, lastGoodMs, standing)) ?? startedAtMs, startedAtMs);
  const [around, changes, windows, agentChange, trace, script] = await Promise.all([
    causes.around(accountId, check.id, lookedAt(check, sinceMs, startedAtMs)),
    readChanges(deps, check, { fromMs: Math.max(lastGoodMs, sinceMs - 24 * 60 * minuteMs), toMs: sinceMs + minuteMs }),
    checkSituations.maintenance({ id: check.id, tags: known?.tags ?? [] }, sinceMs, startedAtMs + 1),
    agentChangeOf(causes, accountId, locationCode, lastGoodMs, startedAtMs),
    traceOf(results, check, failed),
    readScript(results, check, failed),
  ]);
  const nameOf = namesOf(around);
  return {
    standing,
    check: { id: check.uuid, name: check.definition.name, type: check.type, host: checkTarget(check.definition) },
    failure: runFact(check, failed, nameOf),
    good: good.map((row) => runFact(check, row, nameOf)),
    sinceMs,
    ...neighbours(around, check.id, standing),
    trace,
    changes,
    windows,
    agentChange,
    script,
  };
}

/** What can be said of a message alone: a test session's runs are not looked for. */
export function factsOfMessage(name: string, message: string, seenAtMs: number): CauseFacts {
  const run = { checkId: "", resultId: null, location: "", startedAtMs: seenAtMs, responseTimeMs: 0, isDegraded: false, agentSide: false };
  const seen = seenOf("", { error: message, statusCode: null, detail: null });
  const script = codeOf(message) === null ? { error: message.slice(0, 300), request: null } : null;
  return {
    standing: "failing",
    check: { id: "", name, type: "PLAYWRIGHT", host: null },
    failure: { ...run, error: message, seen: { ...seen, script } },
    good: [],
    sinceMs: seenAtMs,
    places: [],
    others: [],
    trace: null,
    changes: [],
    windows: [],
    agentChange: null,
    script: null,
  };
}

/** Of a degraded check those that were not degraded either: so many more are looked at. */
async function goodBefore(
  results: FactDeps["results"],
  before: Omit<Parameters<FactDeps["results"]["list"]>[0], "limit" | "withDetails">,
  standing: Standing,
): Promise<readonly ResultRow[]> {
  const isGood = ({ isCancelled, agentSide, isDegraded }: ResultRow): boolean =>
    !isCancelled && !agentSide && (standing === "failing" || !isDegraded);
  if (standing === "failing") return (await results.list({ ...before, limit: goodRuns, withDetails: true })).items.filter(isGood);
  const { items } = await results.list({ ...before, limit: mostLooked, withDetails: false });
  const chosen = items.filter(isGood).slice(0, goodRuns);
  const whole = await Promise.all(chosen.map((row) => results.byId(before.checkId, resultUuid(row))));
  return whole.filter((row) => row !== undefined);
}

async function failedRun(results: FactDeps["results"], check: CheckRow, group: ErrorGroupRow): Promise<ResultRow | undefined> {
  // The group remembers when its newest run started, to the millisecond; another location's may have started then, too.
  const time = { fromMs: group.lastSeenMs - 1, toMs: group.lastSeenMs + 2 };
  const asked = { checkId: check.id, resultTypes: ["FINAL"], hasFailures: true, limit: 50, withDetails: true } as const;
  const { items } = await results.list({ ...asked, ...time });
  return items.find(({ errorGroupIds }) => errorGroupIds.includes(group.id));
}

function lookedAt({ definition }: CheckRow, sinceMs: number, failedMs: number) {
  const slackMs = Math.min(Math.max(definition.frequency * minuteMs, leastSlackMs), mostSlackMs);
  return { fromMs: Math.max(sinceMs, failedMs - longestLookMs) - slackMs, toMs: failedMs + slackMs };
}

function runFact({ uuid, type }: CheckRow, row: ResultRow, nameOf: (code: string) => string): RunFact {
  const { errorMessage, statusCode, detailJson } = row;
  const detail: unknown = detailJson === null ? null : JSON.parse(detailJson.toString());
  return {
    checkId: uuid,
    resultId: resultUuid(row),
    location: nameOf(row.locationCode),
    startedAtMs: row.startedAtMs,
    responseTimeMs: row.responseTimeMs,
    error: errorMessage,
    isDegraded: row.isDegraded,
    agentSide: row.agentSide,
    seen: seenOf(type, { error: errorMessage, statusCode, detail }),
  };
}

function namesOf({ locations }: Neighbourhood): (code: string) => string {
  const names = new Map([...locations.values()].map(({ code, name }) => [code, name]));
  return (code) => names.get(code) || code;
}

function neighbours({ checks, runs, locations }: Neighbourhood, ownId: number, standing: Standing): Pick<CauseFacts, "places" | "others"> {
  const byCheck = Map.groupBy(runs, ({ checkId }) => checkId);
  const placesOf = (checkId: number) =>
    placeFacts(
      (byCheck.get(checkId) ?? []).map(({ locationId, isFailed: failed, isDegraded, id, runAtMs }) => {
        const isFailed = failed || (standing === "degraded" && isDegraded);
        const { name = "", code = "" } = locations.get(locationId) ?? {};
        return { location: name || code, isFailed, resultId: resultUuidOf({ id, runAtMs }) };
      }),
    );
  const others = checks.map(({ id, uuid, name, target }): OtherCheckFact => ({ checkId: uuid, name, host: target, places: placesOf(id) }));
  return { places: placesOf(ownId), others: others.filter(({ places }) => places.length > 0) };
}

/** A version that no agent of the location had in the last good run. */
async function agentChangeOf(
  causes: CauseStore,
  accountId: number,
  locationCode: string,
  goodMs: number,
  failedMs: number,
): Promise<CauseFacts["agentChange"]> {
  const sessions = await causes.agentVersions(accountId, locationCode, goodMs - 5 * minuteMs);
  const before = sessions.filter(({ openedAtMs }) => openedAtMs <= goodMs);
  const known = new Set(before.map(({ version }) => version));
  const after = sessions.findLast(({ openedAtMs, version }) => openedAtMs > goodMs && openedAtMs <= failedMs && !known.has(version));
  const [last] = before;
  return last === undefined || after === undefined ? null : { before: last.version, after: after.version, atMs: after.openedAtMs };
}

const traceFile = "traceroute.txt";

async function traceOf(results: FactDeps["results"], check: CheckRow, row: ResultRow): Promise<CauseFacts["trace"]> {
  if (!row.assets.some(({ name }) => name === traceFile)) return null;
  const file = await results.asset(check.id, resultUuid(row), traceFile);
  if (file === undefined || !("body" in file)) return null;
  const conclusion = traceConclusion(new TextDecoder().decode(file.body.subarray(0, 65_536))).slice(0, 500);
  return conclusion === "" ? null : { file: traceFile, conclusion };
}
