import { checkFormTexts } from "../../texts/check-form.ts";
import { incidentTexts } from "../../texts/incidents.ts";
import { type Html, html } from "../../view/html.ts";
import type { CheckField } from "../check-types/check-field.ts";
import { severityOptions } from "../incidents/incident-words.ts";
import { type FieldContext, fieldView, flag, type Option } from "./field-view.ts";
import { type Incident, incidentPath, incidentPlace } from "./incident-form.ts";

const texts = checkFormTexts.incident;

/** What the incident tells once there is one. */
const toldFields: readonly CheckField[] = [
  {
    path: incidentPlace("severity"),
    label: incidentTexts.severity,
    kind: "choice",
    options: severityOptions.map(([value]) => value),
    optionTexts: Object.fromEntries(severityOptions),
    usual: "MINOR",
  },
  { path: incidentPlace("name"), label: texts.name, kind: "text", hint: texts.nameHint },
  { path: incidentPlace("description"), label: texts.description, kind: "area", hint: texts.descriptionHint },
];

export interface IncidentContext extends FieldContext {
  /** Of status pages: uuids and names. */
  readonly services: readonly Option[];
}

/** The incident that the check opens: of which service, and what it tells. What is not said is as it is stored. */
export function incidentFieldset(context: IncidentContext): Html {
  const { body, stored, services, problems } = context;
  const said = incidentOf(body[incidentPath] === undefined ? stored?.[incidentPath] : body[incidentPath]);
  const shown = { ...context, body: { [incidentPath]: said ?? {} } };
  const isWrong = toldFields.some(({ path }) => problems[path] !== undefined);
  const told = html`<details${(said !== null || isWrong) && html` open`}><summary>${texts.told}</summary>${toldFields.map((field) => fieldView(field, shown))}
${flag(incidentPlace("notifySubscribers"), incidentTexts.notify, said?.notifySubscribers === true)}</details>`;
  const none = html`<p class="hint">${texts.noService((text) => html`<a href="/pages#services">${text}</a>`)}</p>`;
  return html`<fieldset><legend>${texts.title}</legend>${services.length === 0 && said === null ? none : [serviceSelect(context, said?.serviceId.toLowerCase() ?? ""), told]}</fieldset>`;
}

function serviceSelect({ services, problems }: IncidentContext, chosen: string): Html {
  const path = incidentPlace("serviceId");
  const problem = problems[path] ?? problems[incidentPath];
  const known: readonly Option[] = [["", texts.none], ...services];
  const options = known.some(([id]) => id === chosen) ? known : [...known, [chosen, texts.goneService(chosen)] as const];
  const described = html` aria-describedby="${path}-hint${problem !== undefined && ` ${path}-problem`}"`;
  return html`<div class="field"><label for="${path}">${texts.service}</label><p class="hint" id="${path}-hint">${texts.serviceHint}</p>
${problem !== undefined && html`<p class="problem" id="${path}-problem">${problem}</p>`}<select class="short" id="${path}" name="${path}"${described}${problem !== undefined && html` aria-invalid="true"`}>${options.map(
    ([id, name]) => html`<option value="${id}"${id === chosen && html` selected`}>${name}</option>`,
  )}</select></div>`;
}

/** As a check has it, or as `incidentIn` made it. */
function incidentOf(value: unknown): Incident | null {
  return typeof value === "object" && value !== null ? (value as Incident) : null;
}
