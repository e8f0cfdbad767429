import type { CheckTypeName } from "#contract/primitives.ts";
import { tryCheck, tryNewCheck } from "#contract/trials.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { tryTexts as texts } from "../../texts/check-form.ts";
import { html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { refusedFields } from "../refused-fields.ts";
import { triedBoxes } from "../tested/tried-box.ts";
import { awaitedRuns, maxTried, type TriedRun, triedRuns } from "../tested/tried-run.ts";
import type { Visit } from "../visit.ts";
import { problemPlaces } from "./edit-page.ts";
import { lookAgain, tryNow } from "./try-section.ts";

/** What stands in a form. */
export interface SentForm {
  readonly type: CheckTypeName;
  /** The check's uuid; null: it is made. */
  readonly id: string | null;
  readonly body: object;
}

/** Whether the form was sent to be tried, or to hear once more of that, and not to be saved. */
export function isTry({ request: { form } }: Visit): boolean {
  return [tryNow, lookAgain].includes(form.get("next") ?? "");
}

/** Without a script: starts it and waits a little, or looks once more. @throws what the form is refused for */
export async function triedForm(ask: Ask, visit: Visit, sent: SentForm): Promise<readonly TriedRun[]> {
  const { form } = visit.request;
  const ids = form.get("next") === lookAgain ? form.getAll("tried").slice(0, maxTried) : await start(ask, visit, sent);
  return awaitedRuns(ask, visit, ids, null);
}

/** For the script of the form: what was begun, or what is wrong beside its field. */
export async function triedByScript(ask: Ask, visit: Visit, sent: SentForm): Promise<FormAnswer> {
  try {
    const sessions = await start(ask, visit, sent);
    return json({ problems: {}, sessions, html: triedBoxes(visit.placeName, await triedRuns(ask, visit, sessions)).text });
  } catch (error) {
    const problems = refusedFields(error, problemPlaces(sent.type));
    return json({ problems, sessions: [], html: html`<p class="box bad">${problems[""] ?? texts.wrong}</p>`.text });
  }
}

/** A test session at each of the locations; what is wrong with the form is told by the first. */
async function start(ask: Ask, visit: Visit, { type, id, body }: SentForm): Promise<readonly string[]> {
  const sessions: string[] = [];
  for (const runLocation of locationsIn(visit)) {
    const given = { query: { runLocation }, body: { ...body, checkType: type } };
    const started = await (id === null ? ask(visit, tryNewCheck, given) : ask(visit, tryCheck, { ...given, params: { id } }));
    sessions.push(started.testSessionId);
  }
  return sessions;
}

/** @throws {AppError} invalid_input */
function locationsIn({ request: { form } }: Visit): readonly string[] {
  const chosen = [...new Set(form.getAll("runLocation"))];
  if (chosen.length > 0 && chosen.length <= maxTried) return chosen;
  throw invalidInput([{ path: "runLocation", message: chosen.length === 0 ? texts.noneChosen : texts.tooMany(maxTried) }]);
}

function json(answer: object): FormAnswer {
  return { type: "application/json; charset=utf-8", body: JSON.stringify(answer) };
}
