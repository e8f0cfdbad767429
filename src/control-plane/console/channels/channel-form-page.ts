import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { channelTexts as texts } from "../../texts/channels.ts";
import { type Html, html } from "../../view/html.ts";
import { checkbox, choices, textArea } from "../form-inputs.ts";
import { type FormProblems, field, hidden, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { shownVersion } from "../shown-version.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { type ChannelField, channelFields } from "./channel-fields.ts";
import type { ChannelDraft } from "./channel-form.ts";

interface ChannelFormView {
  readonly draft: ChannelDraft;
  /** Null: it is yet to be made. */
  readonly channel: { readonly id: number; readonly name: string } | null;
  readonly problems?: FormProblems;
  readonly status?: number;
  readonly version?: string | undefined;
}

/** A channel to be made or changed. */
export function channelFormPage(visit: Visit, { draft, channel, problems = {}, status = 200, version }: ChannelFormView): FormAnswer {
  const { type, switches } = draft;
  const title = channel === null ? texts.newTitle(texts.types[type]) : channel.name;
  const isOn = (name: keyof typeof switches): Html => checkbox({ name, label: texts.switches[name], isOn: switches[name] });
  const content = html`${shownVersion(version)}${channel === null && hidden("type", type)}
<section><h2>${texts.where}</h2>${channelFields[type].map((one) => input(one, draft, problems))}</section>
<section><h2>${texts.what}</h2>
${choices(texts.ofSubscribed, [isOn("sendFailure"), isOn("sendRecovery"), isOn("sendDegraded"), isOn("sslExpiry")])}
${field({ name: "sslExpiryThreshold", label: texts.daysBefore, value: draft.sslExpiryThreshold, autocomplete: "off", maxLength: 2, problems })}
${field({ name: "retryHours", label: texts.retryHours, value: draft.retryHours, hint: texts.retryHint, autocomplete: "off", maxLength: 2, problems })}
${choices(texts.ofLater, [isOn("autoSubscribe")])}</section>
<div class="send"><button>${channel === null ? texts.create : actionTexts.save}</button><a href="/channels">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/channels">${texts.title}</a></p>
<h1>${title}</h1>
${channel !== null && html`<p class="lead">${texts.types[type]} · <a href="/channels/${channel.id}/checks">${texts.whichChecks}</a></p>`}
${problemBox(problems[""])}
${postForm(channel === null ? "/channels" : `/channels/${channel.id}`, visit.csrf, content, "form")}`;
  return { ...consolePage(visit, { title, style: tellStyle, body }), status };
}

function input(one: ChannelField, draft: ChannelDraft, problems: FormProblems): Html {
  const { kind, label, hint, isOptional = false } = one;
  const name = `config.${one.name}`;
  const value = draft.texts[one.name] ?? "";
  const shown = isOptional && kind !== "choice" ? actionTexts.optional(label) : label;
  if (kind === "choice") return select({ name, label, value, options: withOwn(one.options ?? [], value) });
  if (kind === "secret") return secretInput(one, draft.kept.has(one.name), shown, problems);
  if (kind === "long" || kind === "entries")
    return textArea({ name, label: shown, value, rows: kind === "long" ? 6 : 3, maxLength: 100_000, hint, isOptional, problems });
  const type = kind === "email" ? "email" : "text";
  return field({ name, label: shown, type, value, hint, autocomplete: "off", isOptional, maxLength: 2_048, problems });
}

/** It is never shown; what is stored stays unless something is typed, or it is taken away. */
function secretInput({ name, isOptional = false }: ChannelField, isKept: boolean, label: string, problems: FormProblems): Html {
  const input = field({
    name: `config.${name}`,
    label,
    type: "password",
    hint: isKept ? texts.secretKept : undefined,
    autocomplete: "new-password",
    isOptional: isOptional || isKept,
    maxLength: 1_024,
    problems,
  });
  return html`${input}${isKept && isOptional && checkbox({ name: `remove.${name}`, label: texts.removeSecret, isOn: false })}`;
}

/** A value that is not ours to offer stays a choice. */
function withOwn(options: NonNullable<ChannelField["options"]>, value: string): NonNullable<ChannelField["options"]> {
  return options.some(([one]) => one === value) ? options : [...options, [value, value]];
}
