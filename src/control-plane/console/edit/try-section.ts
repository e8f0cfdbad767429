import { tryTexts as texts } from "../../texts/check-form.ts";
import { type Html, html } from "../../view/html.ts";
import { hidden } from "../form-view.ts";
import { triedBoxes } from "../tested/tried-box.ts";
import { goesOn, type TriedRun } from "../tested/tried-run.ts";
import { type Option, problemLine } from "./field-view.ts";
import { namesIn } from "./names-in.ts";
import { dataCentersOf, type PlaceContext, tick } from "./place-fields.ts";

export interface TrySection extends PlaceContext {
  readonly tried?: readonly TriedRun[];
  /** Where somebody wants to try it; at first the first location. */
  readonly tryAt?: readonly string[];
}

export const tryPlacesId = "try-at";

/** The values of the buttons that send the form to be tried, and to look once more what came of it. */
export const tryNow = "try";
export const lookAgain = "look";

/** Beside the form: runs what it holds, and tells what came of that. */
export function trySection(view: TrySection): Html {
  const { tried = [] } = view;
  const options = locationsOf(view);
  const names = new Map(view.places);
  const none = html`<p>${texts.noLocation((text) => html`<a href="/locations">${text}</a>`)}</p>`;
  const sessions = tried.map(({ session }) => session.testSessionId);
  return html`<aside class="try" aria-labelledby="try"><h2 id="try">${texts.title}</h2><p class="hint">${texts.hint}</p>
${options.length === 0 ? none : controls(view, options)}
<div id="tried" role="status"${tried.some(goesOn) && html` data-sessions="${sessions.join(" ")}"`}>${tried.length > 0 && triedBoxes((code: string) => names.get(code) ?? code, tried, again(sessions))}</div></aside>`;
}

function controls({ problems, tryAt }: TrySection, options: readonly Option[]): Html {
  const problem = problems["runLocation"];
  const chosen = tryAt ?? options.slice(0, 1).map(([code]) => code);
  return html`<div class="field" role="group" aria-labelledby="${tryPlacesId}"><p class="label" id="${tryPlacesId}">${texts.locations}</p>${problemLine(problem)}
<div class="at">${options.map(([code, name]) => tick("runLocation", code, name, chosen.includes(code)))}</div></div>
<p><button class="quiet" name="next" value="${tryNow}">${texts.run}</button></p>`;
}

function again(sessions: readonly string[]): Html {
  return html`<p class="again">${sessions.map((id) => hidden("tried", id))}<button class="quiet" name="next" value="${lookAgain}">${texts.lookAgain}</button></p>`;
}

/** Those of the check first. */
function locationsOf(view: TrySection): readonly Option[] {
  const [own, shared] = [namesIn(view.body["privateLocations"]), namesIn(view.body["locations"])];
  const all = [...view.places, ...dataCentersOf(view).map((code): Option => [code, code])];
  const isOwn = ([code]: Option): boolean => own.includes(code) || shared.includes(code);
  return [...all.filter(isOwn), ...all.filter((place) => !isOwn(place))];
}
