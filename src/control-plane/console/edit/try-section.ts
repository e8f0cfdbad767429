import { type Html, html } from "../../pages/html.ts";
import { tryTexts as texts } from "../../texts/check-form.ts";
import { hidden, select } from "../form-view.ts";
import { triedBox } from "../tested/tried-box.ts";
import type { TriedRun } from "../tested/tried-run.ts";
import type { Option } from "./field-view.ts";
import { namesIn } from "./names-in.ts";
import { dataCentersOf, type PlaceContext } from "./place-fields.ts";

export interface TrySection extends PlaceContext {
  readonly tried?: TriedRun | null;
}

/** The values of the buttons that send the form to be tried, and to look once more what came of it. */
export const tryNow = "try";
export const lookAgain = "look";

/** Beside the form: runs what it holds, and tells what came of that. */
export function trySection(view: TrySection): Html {
  const { problems, tried = null } = view;
  const options = locationsOf(view);
  const problem = problems["runLocation"];
  const value = tried?.session.results[0]?.runLocation ?? options[0]?.[0] ?? "";
  const controls = html`${problem !== undefined && html`<p class="problem">${problem}</p>`}
${select({ name: "runLocation", label: texts.location, value, options })}
<p><button class="quiet" name="next" value="${tryNow}">${texts.run}</button></p>`;
  const none = html`<p>${texts.noLocation((text) => html`<a href="/locations">${text}</a>`)}</p>`;
  return html`<aside class="try" aria-labelledby="try"><h2 id="try">${texts.title}</h2><p class="hint">${texts.hint}</p>
${options.length === 0 ? none : controls}
<div id="tried" role="status"${tried !== null && tried.result === null && html` data-session="${tried.session.testSessionId}"`}>${tried !== null && triedBox(tried, again(tried))}</div></aside>`;
}

function again({ session }: TriedRun): Html {
  return html`<p class="again">${hidden("tried", session.testSessionId)}<button class="quiet" name="next" value="${lookAgain}">${texts.lookAgain}</button></p>`;
}

/** Those of the check first. */
function locationsOf(view: TrySection): readonly Option[] {
  const [own, shared] = [namesIn(view.body["privateLocations"]), namesIn(view.body["locations"])];
  const all = [...view.places, ...dataCentersOf(view).map((code): Option => [code, code])];
  const isOwn = ([code]: Option): boolean => own.includes(code) || shared.includes(code);
  return [...all.filter(isOwn), ...all.filter((place) => !isOwn(place))];
}
