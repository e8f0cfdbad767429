import { getCheckV1 } from "#contract/checks/operations.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { measuredPart } from "../check/figure-section.ts";
import { type MeasuredDeps, measuredOf } from "../check/measured.ts";
import { pingLabel } from "../check/ping-section.ts";
import { chosenOf, namedRange, rangeOf } from "../check/range.ts";
import { toldPart } from "../check/told-sections.ts";
import type { Visit } from "../visit.ts";
import { liveEvent } from "./events.ts";
import type { Audience, LiveView, WantedView } from "./live-view.ts";

/** Results may come every second; somebody who reads wants to find what he read. */
const leastMs = 10_000;
/** Without new results, old ones leave the range: so many times while it goes by. */
const turnsOfRange = 60;
/** How much later than it began a run may be stored, as far as it matters here. */
const storedLateMs = 15_000;

/**
 * The figures and charts of a check over a time that ends now, and what was told of it (`measured`). Made for all who see the same, once they have
 * what is older than the newest result.
 */
export function wantedFigures(deps: MeasuredDeps, checkId: string, query: URLSearchParams): WantedView {
  const chosen = chosenOf(query);
  const { name, lengthMs } = namedRange(query);
  const asked = new URLSearchParams({ range: name, ...(query.get("compare") === "week" && { compare: "week" }) });
  const places = new URLSearchParams(chosen.map((place) => ["location", place]));
  const key = `figures/${checkId}?${asked.toString()}&${places.toString()}`;
  const looked = { checkId, query: asked, chosen, turnMs: Math.max(leastMs, lengthMs / turnsOfRange) };
  return { key, has: new Set([query.get("at") ?? ""]), make: (audience, visit) => figuresLive(deps, audience, visit, looked) };
}

interface Wanted {
  readonly checkId: string;
  /** Tells the range. */
  readonly query: URLSearchParams;
  readonly chosen: readonly string[];
  /** How long figures are shown at most. */
  readonly turnMs: number;
}

function figuresLive(deps: MeasuredDeps, audience: Audience, visit: Visit, { checkId, query, chosen, turnMs }: Wanted): LiveView {
  let told: { readonly event: Buffer; readonly atMs: number } = { event: Buffer.alloc(0), atMs: 0 };
  let check: IndexedCheck | undefined;
  /** Since when figures are other ones, as far as that is known. */
  let changedAtMs = 0;
  /** As old are the oldest figures that somebody sees. */
  let seenAtMs = Number.POSITIVE_INFINITY;

  return {
    async look({ nowMs, changed, byId }) {
      const isFirst = check === undefined;
      check ??= [...byId.values()].find(({ uuid }) => uuid === checkId);
      const news = check && byId.get(check.id);
      if (isFirst) changedAtMs = Math.min(nowMs, (news?.latest?.startedAtMs ?? 0) + storedLateMs);
      else if (news !== undefined && changed.has(news.id)) changedAtMs = nowMs;
      const arrived = audience.arrived();
      for (const has of arrived.values()) seenAtMs = Math.min(seenAtMs, Math.max(told.atMs, madeAt(has, nowMs)));
      audience.tell(Buffer.alloc(0), arrived, (has) => (madeAt(has, nowMs) < told.atMs ? told.event : Buffer.alloc(0)));
      return [];
    },
    tell: () => undefined,
    slow: {
      dueSinceMs(nowMs) {
        const ageMs = nowMs - seenAtMs;
        return ageMs >= leastMs && (changedAtMs > seenAtMs || ageMs >= turnMs) ? seenAtMs : null;
      },
      async catchUp(nowMs) {
        const subject = await deps.ask(visit, getCheckV1, { params: { id: checkId } });
        const asked = rangeOf(query, nowMs);
        const measured = await measuredOf(deps, visit, { check: subject, range: asked.range, asked, chosen, nowMs });
        const { pings } = measured;
        const state = pings !== null && { state: pingLabel(pings).text };
        const event = liveEvent("measured", { measured: measuredPart(measured).text, told: toldPart(measured).text, ...state });
        told = { event, atMs: nowMs };
        seenAtMs = nowMs;
        audience.tell(event, new Map(), () => event);
      },
    },
  };
}

/** When the page's figures were made, as it says. */
function madeAt(has: ReadonlySet<string>, nowMs: number): number {
  const [at = ""] = has;
  return /^\d{1,15}$/.test(at) ? Math.min(nowMs, Number(at)) : 0;
}
