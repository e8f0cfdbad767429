import type { CheckNotice } from "#domain/check-notices.ts";
import { type NoticeDeps, noticesIn } from "../../pages/dashboards/shown-checks.ts";
import type { CheckSituation, IndexedCheck } from "../../storage/storage.ts";
import { liveTexts } from "../../texts/live.ts";
import { addressOf, type Filter, filterOf } from "../overview/filter.ts";
import { checkRow, counters, pageLinks } from "../overview/list-parts.ts";
import { type Listing, listingOf, wantedOf } from "../overview/listing.ts";
import type { Member } from "../overview/row-acts.ts";
import { shownVersion } from "../overview/row-version.ts";
import { liveEvent } from "./events.ts";
import type { AccountReading, Audience, Figures, LiveView, WantedView } from "./live-view.ts";

/** How old what is around a check may be. */
const situationTurnMs = 10_000;
/** Versions of rows that a page may say it has. */
const maxVersions = 100;

/** The page of the list at this address. */
export function wantedOverview(query: URLSearchParams, deps: NoticeDeps): WantedView {
  const filter = filterOf(query);
  const has = new Set((query.get("has") ?? "").split(".").slice(0, maxVersions));
  return { key: addressOf(filter, { page: filter.page }), make: (audience, visit) => overviewLive(deps, audience, filter, visit), has };
}

interface Told {
  readonly versions: ReadonlySet<string>;
  readonly order: Buffer;
  readonly counters: Buffer;
}

/** Tells rows that are not as they were (`row`), which rows there are and in which order (`order`), and how many there are of each state (`counters`). */
function overviewLive(deps: NoticeDeps, audience: Audience, filter: Filter, { role }: Member): LiveView {
  let reading: AccountReading | undefined;
  let wanted: readonly number[] = [];
  let listing: Listing | undefined;
  let arrived: ReturnType<Audience["arrived"]> = new Map();
  let situations: ReadonlyMap<number, CheckSituation> = new Map();
  let situatedMs = 0;
  let notices: Notices = new Map();
  let told: Told = { versions: new Set(), order: Buffer.alloc(0), counters: Buffer.alloc(0) };

  function list(now: AccountReading): Listing {
    const isChanged = reading?.definitions !== now.definitions;
    if (isChanged) wanted = wantedOf(checksOf(now, now.ordered), filter).map(({ id }) => id);
    if (listing !== undefined && !isChanged && reading?.states === now.states) {
      return { ...listing, chosen: checksOf(now, idsOf(listing.chosen)) };
    }
    return listingOf(checksOf(now, wanted), filter, now.nowMs, true);
  }

  /** Windows begin and agents leave without a run, so they are asked for now and then. */
  async function situate(chosen: readonly IndexedCheck[], nowMs: number): Promise<void> {
    if (nowMs - situatedMs < situationTurnMs && chosen.every(({ id }) => situations.has(id))) return;
    situations = await deps.checkSituations.ofChecks(chosen, nowMs);
    situatedMs = nowMs;
  }

  return {
    async look(now) {
      arrived = audience.arrived();
      const listed = list(now);
      await situate(listed.chosen, now.nowMs);
      notices = new Map(listed.chosen.map((one) => [one.id, noticesIn(one, situations.get(one.id), now.nowMs, deps.agentGoneMs)]));
      listing = listed;
      reading = now;
      const isMissing = (check: IndexedCheck): boolean => {
        const version = versionIn(notices, check);
        return !told.versions.has(version) || [...arrived.values()].some((has) => !has.has(version));
      };
      return listing.chosen.filter(isMissing);
    },
    tell(figures) {
      if (listing === undefined || reading === undefined) return;
      const { chosen, filter: shown } = listing;
      const rows = rowEvents(chosen, figures, { filter: shown, notices, nowMs: reading.nowMs, member: { role } });
      const now: Told = {
        versions: new Set(chosen.map((check) => versionIn(notices, check))),
        order: liveEvent("order", { ids: chosen.map(({ uuid }) => uuid), pages: pageLinks(listing).text }),
        counters: liveEvent("counters", countersOf(listing)),
      };
      const unless = (event: Buffer, before: Buffer): Buffer => (event.equals(before) ? Buffer.alloc(0) : event);
      const news = [...rows(told.versions), unless(now.order, told.order), unless(now.counters, told.counters)];
      audience.tell(Buffer.concat(news), arrived, (has) => Buffer.concat([...rows(has), now.order, now.counters]));
      told = now;
    },
  };
}

function idsOf(checks: readonly IndexedCheck[]): readonly number[] {
  return checks.map(({ id }) => id);
}

function checksOf({ byId }: AccountReading, ids: readonly number[]): readonly IndexedCheck[] {
  return ids.flatMap((id) => byId.get(id) ?? []);
}

type Notices = ReadonlyMap<number, readonly CheckNotice[]>;

function versionIn(notices: Notices, check: IndexedCheck): string {
  return shownVersion(check, notices.get(check.id) ?? []);
}

interface RowsView {
  readonly filter: Filter;
  readonly notices: Notices;
  readonly nowMs: number;
  readonly member: Member;
}

/** The rows that somebody has not, each made once. Figures may be older than what is told beside them. */
function rowEvents(checks: readonly IndexedCheck[], figures: Figures, { filter, notices, nowMs, member }: RowsView) {
  const made = new Map<IndexedCheck, Buffer>();
  const make = (check: IndexedCheck): readonly Buffer[] => {
    const known = made.get(check);
    if (known !== undefined) return [known];
    const ofCheck = figures.get(check.id);
    if (ofCheck === undefined) return [];
    const event = liveEvent("row", {
      id: check.uuid,
      html: checkRow({ ...ofCheck, notices: notices.get(check.id) ?? [] }, filter, nowMs, member).text,
    });
    made.set(check, event);
    return [event];
  };
  return (has: ReadonlySet<string>): readonly Buffer[] =>
    checks.flatMap((check) => (has.has(versionIn(notices, check)) ? [] : make(check)));
}

function countersOf(listing: Listing) {
  const [failing = 0, degraded = 0] = [listing.counts.get("failing"), listing.counts.get("degraded")];
  return { html: counters(listing).text, failing, degraded, said: liveTexts.counts(failing, degraded) };
}
