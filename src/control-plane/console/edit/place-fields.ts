import { dataCenterLocations } from "#contract/locations.ts";
import { checkFormTexts } from "../../texts/check-form.ts";
import { type Html, html } from "../../view/html.ts";
import { hidden } from "../form-view.ts";
import { type FieldContext, type Option, problemLine } from "./field-view.ts";
import { namesIn } from "./names-in.ts";
import { shownCenters } from "./place-form.ts";

const texts = checkFormTexts.places;

export interface PlaceContext extends FieldContext {
  /** Private locations: slug names and names. */
  readonly places: readonly Option[];
  /** Codes of data centers that agents can have a key of. */
  readonly servedCenters: readonly string[];
}

export const ownPlacesId = "own-places";

/** Ticks for the locations of a check. Data centers are there where somebody serves one, or the check names one. */
export function placeFields(context: PlaceContext): Html {
  const { body, problems, places, servedCenters } = context;
  const own = namesIn(body["privateLocations"]);
  const codes = dataCentersOf(context);
  const chosen = namesIn(body["locations"]);
  const isNowhere = problems["locations"] !== undefined && own.length + chosen.length === 0;
  const center = (code: string): Html =>
    html`${hidden(shownCenters, code)}${tick("locations", code, centerName(code, servedCenters.includes(code)), chosen.includes(code))}`;
  return html`<div class="field" role="group" aria-labelledby="${ownPlacesId}"><p class="label" id="${ownPlacesId}">${texts.own}</p>${problemLine(isNowhere ? texts.nowhere : problems["privateLocations"])}
${places.length === 0 ? html`<p class="hint">${texts.noOwn}</p>` : places.map(([slug, name]) => tick("privateLocations", slug, name, own.includes(slug)))}</div>
${codes.length > 0 && html`<div class="field" role="group" aria-labelledby="centers"><p class="label" id="centers">${texts.centers}</p><p class="hint">${texts.centersHint}</p>${problemLine(isNowhere ? undefined : problems["locations"])}${codes.map(center)}</div>`}`;
}

/** Those of the check, and those that are served, each once. */
export function dataCentersOf({ body, stored, servedCenters }: Pick<PlaceContext, "body" | "stored" | "servedCenters">): readonly string[] {
  return [...new Set([...namesIn(stored?.["locations"]), ...namesIn(body["locations"]), ...servedCenters])];
}

function centerName(code: string, isServed: boolean): string {
  const known: Readonly<Record<string, string>> = dataCenterLocations;
  const name = known[code] === undefined ? code : texts.center(code, known[code]);
  return isServed ? name : texts.unserved(name);
}

/** One of several that share a name. */
export function tick(name: string, value: string, label: string, isOn: boolean): Html {
  return html`<label class="flag"><input type="checkbox" name="${name}" value="${value}"${isOn && html` checked`}> ${label}</label>`;
}
