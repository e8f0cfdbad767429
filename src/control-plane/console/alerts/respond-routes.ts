import { type EpisodeAct, quietNow } from "#domain/alerting/episode-handling.ts";
import { snoozeUntilMs } from "#domain/alerting/snooze-until.ts";
import { type EpisodeLink, episodeLinkOf } from "../../alerting/episode-links.ts";
import { auditRequest } from "../../http/audit.ts";
import type { FormAnswer, FormRequest, FormRoute } from "../../http/form-routes.ts";
import type { StoredChannel } from "../../kinds/alert-channel.ts";
import type { AlertEpisodeStore, DocumentStore, EpisodeRow, NewAuditEntry } from "../../storage/storage.ts";
import { episodeTexts as texts } from "../../texts/episodes.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { timeElement } from "../../view/units.ts";
import { channelName } from "../channels/channel-words.ts";
import { stateStyle } from "../check-style.ts";
import { doneBox } from "../done-box.ts";
import { cardPage } from "../shell.ts";
import { redirect } from "../visit.ts";
import { episodeUuid } from "./episode-pages.ts";
import { episodePath, episodeState, handlingLines } from "./episode-words.ts";

export interface RespondDeps {
  readonly alertEpisodes: Pick<AlertEpisodeStore, "find" | "act">;
  readonly documents: Pick<DocumentStore, "find">;
  readonly hashOf: (text: string) => string;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly nowMs: () => number;
}

const path = "/alerts/respond/{token}";

/**
 * What the link in a message leads to: acknowledging and snoozing one episode without signing in. Looking at it does nothing, as gateways
 * and mail programs open links before people do; its buttons do.
 */
export function respondRoutes(deps: RespondDeps): readonly FormRoute[] {
  return [
    { method: "GET", path, answer: async (request) => show(deps, request) },
    { method: "POST", path, answer: async (request) => respond(deps, request) },
  ];
}

async function found(deps: RespondDeps, { params }: FormRequest): Promise<{ link: EpisodeLink; episode: EpisodeRow } | undefined> {
  const link = episodeLinkOf(deps.hashOf, params["token"] ?? "", deps.nowMs());
  const episode = link && (await deps.alertEpisodes.find(link.accountId, link.episodeId));
  return link && episode && { link, episode };
}

async function show(deps: RespondDeps, request: FormRequest): Promise<FormAnswer> {
  const one = await found(deps, request);
  return one === undefined ? deadLink() : page(one.episode, deps.nowMs(), request.query.get("done"));
}

async function respond(deps: RespondDeps, request: FormRequest): Promise<FormAnswer> {
  const one = await found(deps, request);
  if (one === undefined) return deadLink();
  const nowMs = deps.nowMs();
  const wanted = wantedBy(request.form, nowMs);
  if (wanted === undefined) return page(one.episode, nowMs, null);
  const { link, episode } = one;
  const by = texts.byLink(await nameOf(deps, link));
  const done = await deps.alertEpisodes.act(link.accountId, episode.id, wanted, by, nowMs);
  if (done?.isDone === true) await deps.audit(entryOf(link, episode, wanted, request, nowMs));
  return redirect(`/alerts/respond/${request.params["token"] ?? ""}?done=${done?.isDone === true ? wanted.kind : "over"}`);
}

function wantedBy(form: URLSearchParams, nowMs: number): EpisodeAct | undefined {
  if (form.get("act") === "acknowledge") return { kind: "acknowledged" };
  const choice = (["1h", "4h"] as const).find((one) => one === form.get("act"));
  const untilMs = choice === undefined ? null : snoozeUntilMs(choice, nowMs, "UTC");
  return untilMs === null ? undefined : { kind: "snoozed", untilMs };
}

async function nameOf({ documents }: RespondDeps, { accountId, channelId }: EpisodeLink): Promise<string> {
  const channel = await documents.find<StoredChannel>(accountId, "alert-channel", { id: channelId });
  return channel === undefined ? String(channelId) : channelName({ ...channel.definition, config: { ...channel.definition.config } });
}

/** Nobody signed in, and the link itself is as good as a password: neither a person nor the address is told. */
function entryOf(
  { accountId, channelId }: EpisodeLink,
  episode: EpisodeRow,
  { kind }: EpisodeAct,
  request: FormRequest,
  atMs: number,
): NewAuditEntry {
  const operation = kind === "acknowledged" ? "acknowledgeEpisodeByLink" : "snoozeEpisodeByLink";
  const told = { ...auditRequest("POST", request, 303), path: "/alerts/respond" };
  return { accountId, atMs, operation, resourceId: episodeUuid(episode), fields: [`channel ${channelId}`], actor: null, request: told };
}

function page(episode: EpisodeRow, nowMs: number, done: string | null): FormAnswer {
  const { check, closedAtMs, error, sinceMs } = episode;
  const { tone, text } = episodeState(episode);
  const button = (act: string, label: string, className = ""): Html =>
    html`<button name="act" value="${act}"${className !== "" && html` class="${className}"`}>${label}</button>`;
  const isAcknowledged = quietNow(episode.handling, nowMs)?.kind === "acknowledged";
  const form = html`<form method="post" class="respond">${!isAcknowledged && button("acknowledge", texts.acknowledge)}${button("1h", texts.snoozeFor(texts.snoozes["1h"]), "quiet")}${button("4h", texts.snoozeFor(texts.snoozes["4h"]), "quiet")}</form>`;
  const body = html`<h1>${check.name}</h1>
<p>${stateLabel(tone, text)}</p>
<p class="lead">${texts.since(timeElement(sinceMs))}${error !== null && html`<br>${error}`}</p>
${doneBox(texts.done, done)}
${handlingLines(episode, nowMs).map((line) => html`<p>${line}</p>`)}
${closedAtMs === null ? form : html`<p>${texts.isOver(timeElement(closedAtMs))}</p>`}
<p><a href="${episodePath(episode)}">${texts.signInToSee}</a></p>`;
  return ofLink(cardPage({ title: texts.respondTitle, body, style: stateStyle }));
}

function deadLink(): FormAnswer {
  return ofLink(
    cardPage({
      title: texts.deadLink,
      body: html`<h1>${texts.deadLink}</h1>\n<p class="lead">${texts.aboutDeadLink}</p>\n<p><a href="/alerts">${texts.signInToSee}</a></p>`,
      status: 404,
    }),
  );
}

/** Its address must not go on to other sites, nor be found. */
function ofLink(answer: FormAnswer): FormAnswer {
  return { ...answer, headers: { ...answer.headers, "x-robots-tag": "noindex" } };
}
