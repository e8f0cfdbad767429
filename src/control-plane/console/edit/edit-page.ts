import { maxAssertions } from "#contract/checks/assertion.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { runStyle } from "../check/run-box.ts";
import { labelStyle } from "../check-style.ts";
import { type FormProblems, hidden, postForm, problemBox } from "../form-view.ts";
import { liveStyle } from "../live/live-bar.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { type ChannelChoice, channelFieldset } from "./channel-choices.ts";
import { editStyle } from "./edit-style.ts";
import {
  type AssertionChoices,
  assertionsOf,
  type CheckField,
  type EditableType,
  editableTypes,
  fieldsOf,
  intervals,
  typeTexts,
} from "./fields.ts";
import { type RunOfForm, runOfFormView } from "./save-and-run.ts";
import { type AssertionRow, pairLines, valueAt } from "./values.ts";

export interface EditView {
  readonly type: EditableType;
  /** The check's uuid; null: it is made. */
  readonly id: string | null;
  readonly body: Readonly<Record<string, unknown>>;
  /** The check before; null: it is made. */
  readonly stored: Readonly<Record<string, unknown>> | null;
  /** By path; what belongs to no field under an empty one. */
  readonly problems: FormProblems;
  /** Private locations: slug names and names. */
  readonly places: readonly (readonly [slug: string, name: string])[];
  readonly run?: RunOfForm;
  readonly channels: readonly ChannelChoice[];
  readonly status?: number;
}

/** Which type of check somebody wants to make. */
export function typePage(visit: Visit): FormAnswer {
  const body = html`<p class="crumbs"><a href="/checks">Checks</a></p><h1>New check</h1>
<p class="lead">What should be checked?</p>
<ul class="list types">${editableTypes.map((type) => {
    const [name, what] = typeTexts[type].split(": ");
    return html`<li><a href="/checks/new?type=${type}"><strong>${name}</strong> <span>${what}</span></a></li>`;
  })}</ul>`;
  return consolePage(visit, { title: "New check", style: editStyle, body });
}

export function editPage(visit: Visit, view: EditView): FormAnswer {
  const { type, id, body, status = 200 } = view;
  const name = String(body["name"]);
  const title = id === null ? `New ${type === "HEARTBEAT" ? "heartbeat" : `${type} check`}` : `Change ${name}`;
  const page = html`<p class="crumbs"><a href="/checks">Checks</a>${id !== null && html` / <a href="/checks/${id}">${name}</a>`}</p><h1>${title}</h1>
${id !== null && html`<p class="lead"><a href="/checks/${id}/code">As YAML and curl</a></p>`}
${problemBox(view.problems[""])}
${postForm(id === null ? "/checks/new" : `/checks/${id}/edit`, visit.csrf, parts(view), "edit")}
${id !== null && runOfFormView(id, view.run ?? null)}
${id !== null && removal(visit, id, name)}`;
  return { ...consolePage(visit, { title, style: labelStyle + editStyle + liveStyle + runStyle, modules: ["edit"], body: page }), status };
}

function parts(view: EditView): Html {
  const { type, id, body, problems } = view;
  const rare = fieldsOf[type].filter((field) => field.isRare === true);
  const usual = fieldsOf[type].filter((field) => field.isRare !== true);
  const isRareWrong = rare.some(({ path }) => problems[path] !== undefined);
  const choices = assertionsOf[type];
  return html`${id === null && hidden("type", type)}
${fieldView({ path: "name", label: "Name", kind: "text" }, view)}
<fieldset><legend>What is checked</legend>${usual.map((field) => fieldView(field, view))}
${rare.length > 0 && html`<details${isRareWrong && html` open`}><summary>More</summary>${rare.map((field) => fieldView(field, view))}</details>`}</fieldset>
${choices !== null && assertionTable(choices, view)}
${type !== "HEARTBEAT" && whereAndWhen(view)}
${channelFieldset(view.channels, body["alertChannelSubscriptions"], problems["alertChannelSubscriptions"])}
<fieldset><legend>In the list</legend>
${tagField(view)}
${flag("activated", "It runs", body["activated"] !== false)}${flag("muted", "It alerts nobody", body["muted"] === true)}</fieldset>
<p class="send"><button>${id === null ? "Create" : "Save"}</button>${type !== "HEARTBEAT" && html`<button class="quiet" name="next" value="run">${id === null ? "Create" : "Save"} and run now</button>`}</p>`;
}

/** Paths beside which the form has room for what is wrong. */
export function problemPlaces(type: EditableType): readonly string[] {
  const assertions = Array.from({ length: maxAssertions }, (_, index) => assertionPlace(index));
  return ["name", "tags", "privateLocations", "alertChannelSubscriptions", ...assertions, ...fieldsOf[type].map(({ path }) => path)];
}

function assertionPlace(index: number): string {
  return `request.assertions[${index}]`;
}

function fieldView({ path, label, kind, options = [], between = ":", hint }: CheckField, { body, stored, problems }: EditView): Html {
  const value = valueAt(body, path);
  if (kind === "flag") return flag(path, label, value === true);
  const problem = problems[path];
  const marks = html`${problem !== undefined && html` aria-invalid="true" aria-describedby="${path}-problem"`}`;
  const text = value === null || value === undefined ? "" : String(value as string | number);
  const inputs: Readonly<Record<Exclude<typeof kind, "flag">, () => Html>> = {
    text: () => html`<input id="${path}" name="${path}" value="${text}" autocomplete="off" spellcheck="false"${marks}>`,
    number: () => html`<input class="short" id="${path}" name="${path}" inputmode="decimal" value="${text}" autocomplete="off"${marks}>`,
    area: () => html`<textarea id="${path}" name="${path}" rows="5" spellcheck="false"${marks}>\n${text}</textarea>`,
    pairs: () =>
      html`<textarea id="${path}" name="${path}" rows="3" spellcheck="false"${marks}>\n${pairLines(value, between, valueAt(stored, path))}</textarea>`,
    choice: () =>
      html`<select class="short" id="${path}" name="${path}"${marks}>${options.map((one) => html`<option${one === text && html` selected`}>${one}</option>`)}</select>`,
  };
  return html`<div class="field"><label for="${path}">${label}</label>${hint !== undefined && html`<p class="hint">${hint}</p>`}
${problem !== undefined && html`<p class="problem" id="${path}-problem">${problem}</p>`}${inputs[kind]()}</div>`;
}

function flag(path: string, label: string, isOn: boolean): Html {
  return html`<label class="flag"><input type="checkbox" name="${path}"${isOn && html` checked`}> ${label}</label>`;
}

function tagField(view: EditView): Html {
  const tags = view.body["tags"];
  const text = Array.isArray(tags) ? tags.join(", ") : "";
  return fieldView({ path: "tags", label: "Tags", kind: "text", hint: "Between commas" }, { ...view, body: { tags: text } });
}

/** Two rows are left for more; a row without a source counts for nothing. */
function assertionTable({ sources, comparisons }: AssertionChoices, { body, problems }: EditView): Html {
  const stored = valueAt(body, "request.assertions");
  const rows: readonly AssertionRow[] = Array.isArray(stored) ? (stored as readonly AssertionRow[]) : [];
  const empty = { source: "", property: "", comparison: "EQUALS", target: "" };
  const options = (all: readonly string[], chosen: string): Html =>
    html`${all.map((one) => html`<option value="${one}"${one === chosen && html` selected`}>${one === "" ? "–" : words(one)}</option>`)}`;
  const row = (one: AssertionRow, index: number): Html => {
    const problem = problems[assertionPlace(index)];
    const of = `of assertion ${index + 1}`;
    return html`<tr><td><select name="assertion.source" aria-label="Source ${of}">${options(["", ...sources], one.source)}</select></td>
<td><input name="assertion.property" value="${one.property}" aria-label="Property ${of}"></td>
<td><select name="assertion.comparison" aria-label="Comparison ${of}">${options(comparisons, one.comparison)}</select></td>
<td><input name="assertion.target" value="${String(one.target)}" aria-label="Target ${of}">${problem !== undefined && html`<p class="problem">${problem}</p>`}</td></tr>`;
  };
  return html`<fieldset><legend>What must hold</legend>
<div class="wide"><table class="assertions"><thead><tr><th scope="col">Source</th><th scope="col">Property</th><th scope="col">Comparison</th><th scope="col">Target</th></tr></thead><tbody>${[...rows, empty, empty].map(row)}</tbody></table></div></fieldset>`;
}

function words(name: string): string {
  const text = name.toLowerCase().replaceAll("_", " ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function whereAndWhen({ body, problems, places }: EditView): Html {
  const { frequency, frequencyOffset, privateLocations } = body;
  const minutes = typeof frequency === "number" ? frequency : 10;
  const chosen = minutes === 0 ? `0/${Number(frequencyOffset)}` : String(minutes);
  const slugs = Array.isArray(privateLocations) ? (privateLocations as readonly string[]) : [];
  const placeProblem = problems["privateLocations"];
  return html`<fieldset><legend>Where and how often</legend>
<div class="field"><label for="interval">Every</label><select class="short" id="interval" name="interval">${intervals.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></div>
<div class="field"><p class="label">Private locations</p>${placeProblem !== undefined && html`<p class="problem">${placeProblem}</p>`}
${places.length === 0 ? html`<p class="hint">There is none yet.</p>` : places.map(([slug, name]) => html`<label class="flag"><input type="checkbox" name="privateLocations" value="${slug}"${slugs.includes(slug) && html` checked`}> ${name}</label>`)}</div></fieldset>`;
}

function removal(visit: Visit, id: string, name: string): Html {
  return html`<details class="asks"><summary>Delete the check</summary><div><p>Delete ${name} and all of its results?</p>
${postForm(`/checks/${id}/delete`, visit.csrf, html`<button class="danger">Delete</button>`)}</div></details>`;
}
