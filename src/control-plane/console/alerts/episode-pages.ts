import { getCheckV1 } from "#contract/checks/operations.ts";
import { groupByCause } from "#domain/alerting/episode-causes.ts";
import type { EpisodeAct } from "#domain/alerting/episode-handling.ts";
import { quietNow } from "#domain/alerting/episode-handling.ts";
import { snoozeChoiceOf, snoozeUntilMs } from "#domain/alerting/snooze-until.ts";
import { AppError } from "#domain/app-error.ts";
import { dayNamed, type TimeWindow } from "#domain/time-range.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { accountTimeZone } from "../../kinds/account-time-zone.ts";
import { alertIdOf, alertUuid } from "../../kinds/ids.ts";
import type { AlertEpisodeStore, CheckTroubleStore, ClosedFilter, EpisodeRow, MemberStore } from "../../storage/storage.ts";
import { episodeTexts as texts } from "../../texts/episodes.ts";
import type { Ask } from "../ask.ts";
import { type CauseDeps, readCause, subjectOf } from "../causes/cause-part.ts";
import { allChannels, channelName } from "../channels/channel-words.ts";
import type { FormProblems } from "../form-view.ts";
import { pageOf } from "../page-links.ts";
import { typed } from "../people/person-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { episodePage } from "./episode-page.ts";
import { episodePath } from "./episode-words.ts";
import { type EpisodeFilter, type EpisodesView, episodeFilters, episodesPage } from "./episodes-page.ts";

export interface EpisodePageDeps extends CauseDeps {
  readonly alertEpisodes: AlertEpisodeStore;
  readonly checkTroubles: CheckTroubleStore;
  readonly members: Pick<MemberStore, "list">;
  readonly nowMs: () => number;
}

type Deps = EpisodePageDeps & { readonly ask: Ask };

const pageSize = 25;
const path = "/alerts/episodes/{episodeId}";

/** What fails and failed, and what people do about it. */
export function episodePages(ask: Ask, pageDeps: EpisodePageDeps): readonly ConsolePage[] {
  const deps = { ...pageDeps, ask };
  const does = (name: string, operation: string, actOf: (visit: Visit) => Promise<Wanted> | Wanted): ConsolePage => ({
    method: "POST",
    path: `${path}/${name}`,
    access: "run",
    answer: (visit) => act(deps, visit, operation, actOf),
  });
  return [
    { method: "GET", path: "/alerts", access: "read", answer: (visit) => list(deps, visit) },
    { method: "GET", path, access: "read", answer: async (visit) => show(deps, visit, await find(deps, visit)) },
    does("acknowledge", "acknowledgeEpisode", () => ({ act: { kind: "acknowledged" } })),
    does("unacknowledge", "unacknowledgeEpisode", () => ({ act: { kind: "unacknowledged" } })),
    does("snooze", "snoozeEpisode", (visit) => snoozed(visit, deps.nowMs())),
    does("unsnooze", "unsnoozeEpisode", () => ({ act: { kind: "unsnoozed" } })),
    does("assign", "assignEpisode", (visit) => assigned(deps, visit)),
    does("comment", "commentOnEpisode", commented),
  ];
}

/** What a form asks for, or what is wrong with it. */
type Wanted = { readonly act: EpisodeAct } | { readonly problems: FormProblems };

function snoozed({ request, account }: Visit, nowMs: number): Wanted {
  const choice = snoozeChoiceOf(request.form.get("for") ?? "");
  const untilMs = choice === null ? null : snoozeUntilMs(choice, nowMs, accountTimeZone(account), typed(request.form, "until"));
  return untilMs === null ? { problems: { until: texts.noTime } } : { act: { kind: "snoozed", untilMs } };
}

async function assigned({ members }: Deps, { request, account }: Visit): Promise<Wanted> {
  const id = request.form.get("assignee") ?? "";
  if (id === "") return { act: { kind: "assigned", to: null } };
  const person = (await members.list(account.id)).find(({ uuid }) => uuid === id);
  return person === undefined
    ? { problems: { assignee: texts.noMember } }
    : { act: { kind: "assigned", to: { id: person.uuid, name: person.name } } };
}

function commented({ request }: Visit): Wanted {
  const text = typed(request.form, "comment").replaceAll("\r\n", "\n").slice(0, 4_000);
  return text === "" ? { problems: { comment: texts.noComment } } : { act: { kind: "commented", text } };
}

async function act(deps: Deps, visit: Visit, operation: string, actOf: (visit: Visit) => Promise<Wanted> | Wanted): Promise<FormAnswer> {
  const episode = await find(deps, visit);
  const wanted = await actOf(visit);
  if ("problems" in wanted) return show(deps, visit, episode, wanted.problems);
  const done = await deps.alertEpisodes.act(visit.account.id, episode.id, wanted.act, actorName(visit), deps.nowMs());
  if (done === undefined) throw missing();
  const address = episodePath(episode);
  if (!done.isDone) return redirect(`${address}?done=over`);
  await visit.audit(operation, episodeUuid(episode), []);
  return redirect(`${address}?done=${wanted.act.kind}`);
}

/** As the timeline names who did something. */
export function actorName({ user, actor }: Pick<Visit, "user" | "actor">): string {
  return user?.name ?? texts.byKey("maskedKey" in actor ? actor.maskedKey : "");
}

export function episodeUuid({ id, openedAtMs }: EpisodeRow): string {
  return alertUuid({ id, createdAtMs: openedAtMs });
}

/** @throws {AppError} not_found also for those of other accounts */
async function find({ alertEpisodes }: Deps, { request, account }: Visit): Promise<EpisodeRow> {
  const uuid = (request.params["episodeId"] ?? "").toLowerCase();
  const id = alertIdOf(uuid);
  const episode = id === undefined ? undefined : await alertEpisodes.find(account.id, id);
  if (episode === undefined || episodeUuid(episode) !== uuid) throw missing();
  return episode;
}

function missing(): AppError {
  return new AppError("not_found", texts.noSuch);
}

async function show(deps: Deps, visit: Visit, episode: EpisodeRow, problems: FormProblems = {}): Promise<FormAnswer> {
  const { alertEpisodes, checkTroubles, members, nowMs, ask } = deps;
  const { request, account } = visit;
  const now = nowMs();
  const [timeline, details, troubles, people, names, cause] = await Promise.all([
    alertEpisodes.timeline(episode),
    alertEpisodes.details([episode]),
    checkTroubles.ofChecks(episode.closedAtMs === null ? [episode.check.id] : [], now),
    members.list(account.id),
    namesOf(ask, visit),
    readCause(deps, visit, subjectOf(episode)),
  ]);
  return episodePage(visit, {
    episode,
    timeline,
    cause,
    places: [details.get(episode.id), troubles.get(episode.check.id)],
    names,
    members: people,
    zone: accountTimeZone(account),
    nowMs: now,
    done: request.query.get("done"),
    problems,
    form: request.form,
  });
}

async function list(deps: Deps, visit: Visit): Promise<FormAnswer> {
  const { alertEpisodes, nowMs, ask } = deps;
  const { query } = visit.request;
  const now = nowMs();
  const filter = filterOf(query.get("state"));
  const check = await askedCheck(ask, visit);
  const page = pageOf(query);
  const day = dayAsked(visit);
  const all = (await alertEpisodes.open(visit.account.id, check?.id)).filter(({ sinceMs }) => sinceMs < day.beforeMs);
  const quiet = (kind: "acknowledged" | "snoozed") => all.filter(({ handling }) => quietNow(handling, now)?.kind === kind);
  const chosen = { open: all, acknowledged: quiet("acknowledged"), snoozed: quiet("snoozed") };
  const counts = { open: all.length, acknowledged: chosen.acknowledged.length, snoozed: chosen.snoozed.length };
  const open = filter === "closed" ? null : openPage(chosen[filter === "" ? "open" : filter], filter === "" ? 1 : page);
  const closed =
    filter === "" || filter === "closed" ? await closedPage(deps, visit, page, { checkUuid: check?.id, during: day.window }) : null;
  const shown = (open?.groups ?? []).flatMap(({ episodes }) => episodes);
  return episodesPage(visit, {
    filter,
    check,
    day: day.text,
    zone: day.zone,
    counts,
    open,
    closed,
    nowMs: now,
    ...(await toldOf(deps, visit, shown, closed?.episodes ?? [])),
  });
}

/** @throws {AppError} not_found also for those of other accounts */
async function askedCheck(ask: Ask, visit: Visit): Promise<EpisodesView["check"]> {
  const id = visit.request.query.get("check") || null;
  return id === null ? null : ask(visit, getCheckV1, { params: { id } });
}

interface AskedDay {
  /** Empty: none is asked for, or what is none. */
  readonly text: string;
  readonly zone: string;
  readonly window: TimeWindow | undefined;
  /** When it is over. */
  readonly beforeMs: number;
}

function dayAsked({ request, account }: Visit): AskedDay {
  const zone = accountTimeZone(account);
  const text = request.query.get("day") ?? "";
  const window = dayNamed(text, zone) ?? undefined;
  return { text: window === undefined ? "" : text, zone, window, beforeMs: window?.toMs ?? Number.POSITIVE_INFINITY };
}

async function closedPage(
  { alertEpisodes }: Deps,
  visit: Visit,
  page: number,
  only: Pick<ClosedFilter, "checkUuid" | "during">,
): Promise<EpisodesView["closed"]> {
  const { items, total } = await alertEpisodes.closed(visit.account.id, { page, limit: pageSize, ...only });
  return { episodes: items, total, page, pageSize };
}

/** What rows say beside the episodes. */
async function toldOf(
  { alertEpisodes, checkTroubles, nowMs, ask }: Deps,
  visit: Visit,
  open: readonly EpisodeRow[],
  closed: readonly EpisodeRow[],
): Promise<Pick<EpisodesView, "details" | "troubles" | "names">> {
  const checkIds = open.map(({ check }) => check.id);
  const [details, troubles, names] = await Promise.all([
    alertEpisodes.details([...open, ...closed]),
    checkTroubles.ofChecks(checkIds, nowMs()),
    namesOf(ask, visit),
  ]);
  return { details, troubles, names };
}

const openPageSize = 50;

/** Some of them, by what they share: those of a group stand on pages that follow each other. */
function openPage(episodes: readonly EpisodeRow[], page: number): EpisodesView["open"] {
  const [from, to] = [(page - 1) * openPageSize, page * openPageSize];
  let before = 0;
  const groups = groupByCause(episodes).flatMap(({ cause, episodes: all }) => {
    const here = all.slice(Math.max(0, from - before), Math.max(0, to - before));
    before += all.length;
    return here.length === 0 ? [] : [{ cause, size: all.length, episodes: here }];
  });
  return { groups, total: episodes.length, page, pageSize: openPageSize };
}

/** An address may ask for anything. */
function filterOf(text: string | null): EpisodeFilter {
  return episodeFilters.find((one) => one === text) ?? "";
}

/** Names of the channels that there are, by their ids. */
export async function namesOf(ask: Ask, visit: Visit): Promise<ReadonlyMap<number, string>> {
  return new Map((await allChannels(ask, visit)).map((one) => [one.id, channelName(one)]));
}
