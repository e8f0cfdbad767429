import { maxAssertions } from "#contract/checks/assertion.ts";
import { scriptedFrequencies } from "#contract/checks/scripted.ts";
import { isPinged } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { checkFieldTexts, checkTypeTexts } from "../../texts/check-fields.ts";
import { checkFormTexts as texts } from "../../texts/check-form.ts";
import { scriptTemplateTexts } from "../../texts/script-templates.ts";
import { type Html, html } from "../../view/html.ts";
import { runStyle } from "../check/run-box.ts";
import { labelStyle } from "../check-style.ts";
import type { CheckField } from "../check-types/check-field.ts";
import { checkTypesInConsole } from "../check-types/index.ts";
import { hidden, postForm } from "../form-view.ts";
import { liveStyle } from "../live/live-bar.ts";
import { asRefused, consolePage } from "../shell.ts";
import { shownField } from "../shown-version.ts";
import { progressStyle } from "../tested/run-progress.ts";
import type { Visit } from "../visit.ts";
import { assertionPlace, assertionTable } from "./assertion-table.ts";
import { anywayField, shownParts } from "./changed-since.ts";
import { type ChannelChoice, channelFieldset } from "./channel-choices.ts";
import { editStyle } from "./edit-style.ts";
import { fieldView, flag, problemLine } from "./field-view.ts";
import { type IncidentContext, incidentFieldset } from "./incident-fields.ts";
import { incidentPlaces } from "./incident-form.ts";
import { placeFields } from "./place-fields.ts";
import { problemSummary } from "./problem-summary.ts";
import { retryFields } from "./retry-fields.ts";
import { retryPlaces } from "./retry-form.ts";
import { type RunOfForm, runOfFormView } from "./save-and-run.ts";
import { alertFieldsOf, nameField, parallelField, placedFields, sharedFields, tagsField } from "./shared-fields.ts";
import { type TrySection, trySection } from "./try-section.ts";
import { hasVariables } from "./values.ts";
import { variablesId, variableTable } from "./variable-rows.ts";

/** What is wrong stands in `problems` by path; what belongs to no field under an empty one. */
export interface EditView extends IncidentContext, TrySection {
  readonly type: CheckTypeName;
  /** The check's uuid; null: it is made. */
  readonly id: string | null;
  /** The check that a new one is a copy of. */
  readonly original?: { readonly id: string; readonly name: string } | null;
  readonly run?: RunOfForm;
  readonly channels: readonly ChannelChoice[];
  /** What somebody else changed since the form was shown, and this form, too. */
  readonly both?: readonly string[];
  readonly status?: number;
}

export function editPage(visit: Visit, view: EditView): FormAnswer {
  const { type, id, body, stored, status = 200 } = view;
  const name = String((stored ?? body)["name"]);
  const title = id === null ? texts.newOfType(checkTypeTexts[type].title) : texts.change(name);
  const page = html`<p class="crumbs"><a href="/checks">${texts.checks}</a>${id !== null && html` / <a href="/checks/${id}">${name}</a>`}</p><h1>${title}</h1>
${id !== null && html`<p class="lead"><a href="/checks/${id}/code">${texts.asCode}</a></p>`}
${id === null && beginning(view)}
${problemSummary(type, view.problems) || changedBox(view)}
${postForm(id === null ? "/checks/new" : `/checks/${id}/edit`, visit.csrf, html`${shownBefore(visit, view)}${parts(view)}`, "edit")}
${id !== null && runOfFormView(id, view.run ?? null)}
${id !== null && removal(visit, id, name)}`;
  const style = labelStyle + liveStyle + runStyle + editStyle + progressStyle;
  const shown = consolePage(visit, { title, style, modules: modulesOf(type), body: page });
  return withStatus(shown, status);
}

function withStatus(shown: FormAnswer, status: number): FormAnswer {
  return status === 200 ? shown : { ...asRefused(shown), status };
}

/** Once more what the form was shown first: however often it comes back, what others changed meanwhile is no work of its own. */
function shownBefore({ request }: Visit, { id, stored }: EditView): Html | false {
  return id !== null && stored !== null && hidden(shownField, request.form.get(shownField) ?? shownParts(stored));
}

function changedBox({ id, both = [] }: EditView): Html | false {
  const link = html`<a href="/checks/${id}/edit" target="_blank">${texts.changedNow}</a>`;
  return both.length > 0 && html`<p class="box bad" role="alert" tabindex="-1" autofocus>${texts.changedMeanwhile(both)} ${link}</p>`;
}

/** What a new one is filled from, or can be. */
function beginning({ original, type }: EditView): Html | false {
  if (!original) return templateLinks(type);
  return html`<p class="lead">${texts.copyOf(html`<a href="/checks/${original.id}">${original.name}</a>`)}</p>`;
}

/** Scripts have an editor. */
function modulesOf(type: CheckTypeName): readonly string[] {
  return checkTypesInConsole[type].form.fields.some(({ kind }) => kind === "code") ? ["edit", "script-editor"] : ["edit"];
}

/** Typical journeys, to begin with. */
function templateLinks(type: CheckTypeName): Html | false {
  const { templates = [] } = checkTypesInConsole[type].form;
  if (templates.length === 0) return false;
  const links = templates.map(({ name, title }) => html`<li><a href="/checks/new?type=${type}&amp;template=${name}">${title}</a></li>`);
  return html`<nav class="lead" aria-label="${scriptTemplateTexts.label}">${scriptTemplateTexts.begin}<ul>${links}</ul></nav>`;
}

/** The button that saves is the first one, which Enter means. */
function parts(view: EditView): Html {
  const { type, id } = view;
  const [save, saveAndRun] = id === null ? [texts.create, texts.createAndRun] : [texts.save, texts.saveAndRun];
  return html`<div>${id === null && hidden("type", type)}${view.original && hidden("from", view.original.id)}
${fieldsets(view)}
<p class="send"><button>${save}</button>${!isPinged(type) && html`<button class="quiet" name="next" value="run">${saveAndRun}</button>`}${saveAnyway(view)}<span class="unsaved" role="status" data-text="${texts.unsaved}"></span></p></div>
${!isPinged(type) && trySection(view)}`;
}

function saveAnyway({ stored, both = [] }: EditView): Html | false {
  return (
    both.length > 0 &&
    stored !== null &&
    html`<button class="quiet" name="${anywayField}" value="${shownParts(stored)}">${texts.saveAnyway}</button>`
  );
}

function fieldsets(view: EditView): Html {
  const { type, body, stored, problems } = view;
  const { fields, assertions } = checkTypesInConsole[type].form;
  const ofPart = (part: CheckField["within"]): readonly CheckField[] => fields.filter(({ within }) => within === part);
  const usual = ofPart(undefined);
  return html`${fieldView(nameField, view)}
<fieldset><legend>${texts.whatIsChecked}</legend>${usual.map((field) => fieldView(field, view))}
${shutFields(ofPart("more"), texts.more, view)}${shutFields(ofPart("baseline"), texts.baseline, view)}${shutFields(ofPart("scripts"), texts.scripts, view)}</fieldset>
${hasVariables(type) && html`<fieldset id="${variablesId}"><legend>${checkFieldTexts.variables}</legend>${problemLine(problems["environmentVariables"])}${variableTable(body["environmentVariables"], stored?.["environmentVariables"])}</fieldset>`}
${assertions !== null && assertionTable(assertions, body, problems)}
${!isPinged(type) && whereAndWhen(view)}
${channelFieldset(view.channels, body["alertChannelSubscriptions"], problems["alertChannelSubscriptions"], shutFields(alertFieldsOf(type), texts.whenItAlerts, view))}
${incidentFieldset(view)}
<fieldset><legend>${texts.inTheList}</legend>
${fieldView(tagsField, view)}${placedFields.map((field) => fieldView(field, view))}
${flag("activated", texts.itRuns, body["activated"] !== false)}${flag("muted", texts.itIsMuted, body["muted"] === true)}</fieldset>`;
}

/** Paths beside which the form has room for what is wrong. */
export function problemPlaces(type: CheckTypeName): readonly string[] {
  const assertions = Array.from({ length: maxAssertions }, (_, index) => assertionPlace(index));
  const shared = ["name", "tags", "locations", "privateLocations", "alertChannelSubscriptions", "environmentVariables", "runLocation"];
  return [
    ...shared,
    ...assertions,
    ...[...checkTypesInConsole[type].form.fields, ...sharedFields(type)].map(({ path }) => path),
    ...retryPlaces,
    ...incidentPlaces,
  ];
}

/** Open where something in it is wrong, and where the check has a script. */
function shutFields(fields: readonly CheckField[], title: string, view: EditView): Html {
  if (fields.length === 0) return html``;
  const isWrong = fields.some(({ path }) => view.problems[path] !== undefined);
  const hasScript = fields.some(({ path, kind }) => (kind === "code" || kind === "snippet") && (view.body[path] ?? "") !== "");
  return html`<details${(isWrong || hasScript) && html` open`}><summary>${title}</summary>${fields.map((field) => fieldView(field, view))}</details>`;
}

function whereAndWhen(view: EditView): Html {
  const { type, body } = view;
  const { frequency, frequencyOffset } = body;
  const minutes = typeof frequency === "number" ? frequency : 10;
  const chosen = minutes === 0 ? `0/${Number(frequencyOffset)}` : String(minutes);
  const isScripted = hasVariables(type);
  const intervals = Object.entries(texts.intervals)
    .filter(([value]) => !isScripted || scriptedFrequencies.some((one) => String(one) === value))
    .toSorted(([a], [b]) => secondsOf(a) - secondsOf(b));
  return html`<fieldset><legend>${texts.whereAndWhen}</legend>
<div class="field"><label for="interval">${texts.every}</label><select class="short" id="interval" name="interval">${intervals.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></div>
${placeFields(view)}
${fieldView(parallelField, view)}${retryFields(view)}</fieldset>`;
}

/** Of an interval as the form names it: minutes, or `0/` and seconds. */
function secondsOf(interval: string): number {
  const [minutes, seconds = 0] = interval.split("/").map(Number);
  return (minutes ?? 0) * 60 + seconds;
}

function removal(visit: Visit, id: string, name: string): Html {
  return html`<details class="asks"><summary>${texts.deleteCheck}</summary><div><p>${texts.deleteQuestion(name)}</p>
${postForm(`/checks/${id}/delete`, visit.csrf, html`<button class="danger">${texts.delete}</button>`)}</div></details>`;
}
