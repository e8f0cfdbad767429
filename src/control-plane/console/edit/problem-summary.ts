import type { CheckTypeName } from "#contract/primitives.ts";
import { checkFormTexts as texts } from "../../texts/check-form.ts";
import { type Html, html } from "../../view/html.ts";
import { checkTypesInConsole } from "../check-types/index.ts";
import type { FormProblems } from "../form-view.ts";
import { channelsId } from "./channel-choices.ts";
import { incidentPath, incidentPlace } from "./incident-form.ts";
import { ownPlacesId } from "./place-fields.ts";
import { retryNumbers, retryPath } from "./retry-form.ts";
import { nameField, sharedFields, tagsField } from "./shared-fields.ts";
import { tryPlacesId } from "./try-section.ts";
import { variablesId } from "./variable-rows.ts";

/**
 * On top of a form that was refused: what is wrong with the whole, and a link to each field that is wrong, which may be screens below. It has the focus, so that
 * readers of the screen hear it first.
 */
export function problemSummary(type: CheckTypeName, { "": whole, ...byPath }: FormProblems): Html | false {
  const wrong = Object.entries(byPath).flatMap(([path, text]) => (text === undefined ? [] : [{ path, text }]));
  if (whole === undefined && wrong.length === 0) return false;
  const labels = labelsOf(type);
  const link = ({ path, text }: { readonly path: string; readonly text: string }): Html =>
    html`<li><a href="#${targets[path] ?? path}">${labels.get(path) ?? partOf(path)}</a>: ${text}</li>`;
  return html`<div class="box bad" role="alert" tabindex="-1" autofocus>${whole !== undefined && html`<p>${whole}</p>`}${wrong.length > 0 && html`<p>${texts.needAttention(wrong.length)}</p><ul>${wrong.map(link)}</ul>`}</div>`;
}

/** Where the place of a problem has another id than its path. */
const targets: Readonly<Record<string, string>> = {
  locations: ownPlacesId,
  privateLocations: ownPlacesId,
  alertChannelSubscriptions: channelsId,
  environmentVariables: variablesId,
  runLocation: tryPlacesId,
  [retryPath]: `${retryPath}.type`,
  [incidentPath]: incidentPlace("serviceId"),
};

function labelsOf(type: CheckTypeName): ReadonlyMap<string, string> {
  const fields = [nameField, tagsField, ...checkTypesInConsole[type].form.fields, ...sharedFields(type)];
  return new Map([
    ...fields.map(({ path, label }) => [path, label] as const),
    ...retryNumbers.map((name) => [`${retryPath}.${name}`, texts.retries[name]] as const),
  ]);
}

function partOf(path: string): string {
  const [, index] = /^request\.assertions\[(\d+)\]$/.exec(path) ?? [];
  if (index !== undefined) return texts.assertion.one(Number(index) + 1);
  const [part = path] = path.split(".");
  return texts.parts[part] ?? path;
}
