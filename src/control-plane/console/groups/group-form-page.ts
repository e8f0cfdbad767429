import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { groupTexts as texts } from "../../texts/groups.ts";
import { html } from "../../view/html.ts";
import { type ChannelChoice, channelFieldset, startChannels } from "../edit/channel-choices.ts";
import { flag } from "../edit/field-view.ts";
import { type PlaceContext, placeFields } from "../edit/place-fields.ts";
import { type FormProblems, field, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { shownVersion } from "../shown-version.ts";
import type { Visit } from "../visit.ts";
import type { StoredGroup } from "./all-groups.ts";
import type { GroupDraft } from "./group-form.ts";
import { groupFormStyle } from "./groups-style.ts";

export interface GroupFormView extends Pick<PlaceContext, "places" | "servedCenters"> {
  /** Null: it is made. */
  readonly group: StoredGroup | null;
  readonly draft: GroupDraft;
  readonly channels: readonly ChannelChoice[];
  readonly problems?: FormProblems;
  readonly status?: number;
  readonly version?: string | undefined;
}

/** A group to be made or changed. */
export function groupFormPage(visit: Visit, { group, draft, places, servedCenters, channels, ...view }: GroupFormView): FormAnswer {
  const { problems = {}, status = 200 } = view;
  const [path, title] = group === null ? ["/groups", texts.newTitle] : [`/groups/${group.id}`, texts.change(group.name)];
  const context = { snippets: [], groups: [], variables: [], problems, places, servedCenters };
  const subscriptions = draft.alertChannelSubscriptions ?? startChannels(channels);
  const content = html`<div>${shownVersion(view.version)}${field({ name: "name", label: texts.name, value: draft.name, autocomplete: "off", maxLength: 255, isFirst: group === null, problems })}
${field({ name: "tags", label: actionTexts.optional(texts.tags), value: draft.tags, hint: texts.tagsHint, autocomplete: "off", isOptional: true, maxLength: 100_000, problems })}
${flag("activated", texts.itRuns, draft.activated)}${flag("muted", texts.itIsMuted, draft.muted)}
<fieldset><legend>${texts.where}</legend><p class="hint">${texts.whereHint}</p>
${placeFields({ ...context, body: { ...draft }, stored: group && { ...group } })}</fieldset>
${channelFieldset(channels, subscriptions, problems["alertChannelSubscriptions"], html``)}
${group !== null && html`<p class="hint">${texts.others}</p>`}
<p class="send"><button>${group === null ? texts.create : actionTexts.save}</button></p></div>`;
  const body = html`<p class="crumbs"><a href="/groups">${texts.title}</a>${group !== null && html` / <a href="${path}">${group.name}</a>`}</p>
<h1>${title}</h1>
${problemBox(problems[""])}
${postForm(path, visit.csrf, content, "edit")}`;
  return { ...consolePage(visit, { title, style: groupFormStyle, body }), status };
}
