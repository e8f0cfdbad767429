import type { MaintenanceWindow } from "#contract/maintenance-windows.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { maintenanceTexts, windowFormTexts as texts } from "../../texts/maintenance.ts";
import { type Html, html } from "../../view/html.ts";
import { checkbox, textArea } from "../form-inputs.ts";
import { type FormProblems, field, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { shownVersion } from "../shown-version.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { type Publishable, visibilitySection } from "./visibility-section.ts";

interface WindowFormView extends Publishable {
  /** What stands in the fields. */
  readonly form: URLSearchParams;
  /** Null: it is yet to be made. */
  readonly window: Pick<MaintenanceWindow, "id" | "name"> | null;
  readonly problems?: FormProblems;
  readonly status?: number;
  readonly version?: string | undefined;
}

const style = `${tellStyle}
.tick + fieldset { margin-top: 1.1rem; }
.pair { align-items: end; }
`;

/** A window to be made or changed. */
export function windowFormPage(visit: Visit, view: WindowFormView): FormAnswer {
  const { form, window, problems = {}, status = 200 } = view;
  const title = window === null ? texts.new : texts.change(window.name);
  const given = (name: string): string => form.get(name) ?? "";
  const description = { name: "description", label: actionTexts.optional(texts.description), value: given("description"), problems };
  const content = html`${shownVersion(view.version)}${field({ name: "name", label: texts.name, value: given("name"), autocomplete: "off", maxLength: 200, isFirst: true, problems })}
${timeSection(form, problems)}
<section><h2>${texts.pauses}</h2><p class="hint">${texts.aboutPauses}</p>
${checkbox({ name: "pauseAllChecks", label: texts.pauseAll, isOn: form.has("pauseAllChecks") })}${tagField("tags", form, problems)}</section>
<section><h2>${texts.silent}</h2><p class="hint">${texts.aboutSilence}</p>
${checkbox({ name: "silenceAllAlerts", label: texts.silenceAll, isOn: form.has("silenceAllAlerts") })}${tagField("silenceAlertsTags", form, problems)}</section>
<section><h2>${texts.people}</h2>
${textArea({ ...description, rows: 3, maxLength: 2_000, isOptional: true, isProse: true })}</section>
${visibilitySection(form, view, problems)}
<div class="send"><button>${window === null ? texts.create : actionTexts.save}</button><a href="/maintenance">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/maintenance">${maintenanceTexts.title}</a></p>
<h1>${title}</h1>
${window !== null && html`<p class="about lead"><a href="/maintenance/${window.id}/occurrences">${maintenanceTexts.occurrences}</a></p>`}
${problemBox(problems[""])}
${postForm(window === null ? "/maintenance" : `/maintenance/${window.id}`, visit.csrf, content, "form")}`;
  return { ...consolePage(visit, { title, style, body }), status };
}

function timeSection(form: URLSearchParams, problems: FormProblems): Html {
  const text = { autocomplete: "off", problems };
  const given = (name: string): string => form.get(name) ?? "";
  const lastDay = { name: "repeatEndsAt", label: actionTexts.optional(texts.lastDay), value: given("repeatEndsAt") };
  return html`<section><h2>${texts.when}</h2>
<div class="pair">${field({ ...text, name: "startsAt", label: texts.start, type: "datetime-local", value: given("startsAt") })}
${field({ ...text, name: "endsAt", label: texts.end, type: "datetime-local", value: given("endsAt") })}</div>
${select({ name: "timezone", label: texts.timezone, value: given("timezone"), options: zones() })}
<div class="pair">${select({ name: "repeatUnit", label: texts.repeat, value: given("repeatUnit"), options: Object.entries(texts.repeats) })}
${field({ ...text, name: "repeatInterval", label: texts.interval, value: given("repeatInterval"), maxLength: 3 })}</div>
${field({ ...text, ...lastDay, type: "date", isOptional: true })}</section>`;
}

function tagField(name: "tags" | "silenceAlertsTags", form: URLSearchParams, problems: FormProblems): Html {
  const value = form.get(name) ?? "";
  const label = actionTexts.optional(texts.tags);
  return field({ name, label, hint: texts.tagsHint, value, autocomplete: "off", isOptional: true, maxLength: 5_000, problems });
}

function zones(): readonly (readonly [string, string])[] {
  const names = Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC");
  return ["UTC", ...names].map((name) => [name, name.replaceAll("_", " ")]);
}
