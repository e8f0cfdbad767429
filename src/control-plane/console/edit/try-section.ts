import { type Html, html } from "../../pages/html.ts";
import { tryTexts as texts } from "../../texts/check-form.ts";
import { hidden, select } from "../form-view.ts";
import { triedBox } from "../tested/tried-box.ts";
import type { TriedRun } from "../tested/tried-run.ts";

export interface TrySection {
  readonly body: Readonly<Record<string, unknown>>;
  readonly places: readonly (readonly [slug: string, name: string])[];
  readonly problems: Readonly<Record<string, string | undefined>>;
  readonly tried?: TriedRun | null;
}

/** The values of the buttons that send the form to be tried, and to look once more what came of it. */
export const tryNow = "try";
export const lookAgain = "look";

/** Beside the form: runs what it holds, and tells what came of that. */
export function trySection({ body, places, problems, tried = null }: TrySection): Html {
  const options = locationsOf(body, places);
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
function locationsOf(body: TrySection["body"], places: TrySection["places"]): readonly (readonly [value: string, text: string])[] {
  const [own, shared] = [namesIn(body["privateLocations"]), namesIn(body["locations"])];
  const isOwn = ([slug]: readonly [string, string]): boolean => own.includes(slug);
  return [...places.filter(isOwn), ...shared.map((code) => [code, code] as const), ...places.filter((place) => !isOwn(place))];
}

function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? (list as readonly string[]) : [];
}
