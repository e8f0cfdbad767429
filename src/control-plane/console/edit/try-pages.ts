import { tryCheck, tryNewCheck } from "#contract/trials.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { html } from "../../pages/html.ts";
import { tryTexts as texts } from "../../texts/check-form.ts";
import type { Ask } from "../ask.ts";
import { refusedFields } from "../refused-fields.ts";
import { triedBox } from "../tested/tried-box.ts";
import { awaitedRun, type TriedRun, triedRun } from "../tested/tried-run.ts";
import type { Visit } from "../visit.ts";
import { problemPlaces } from "./edit-page.ts";
import type { EditableType } from "./fields.ts";
import { lookAgain, tryNow } from "./try-section.ts";

/** What stands in a form. */
export interface SentForm {
  readonly type: EditableType;
  /** The check's uuid; null: it is made. */
  readonly id: string | null;
  readonly body: object;
}

/** Whether the form was sent to be tried, or to hear once more of that, and not to be saved. */
export function isTry({ request: { form } }: Visit): boolean {
  return [tryNow, lookAgain].includes(form.get("next") ?? "");
}

/** Without a script: starts it and waits a little, or looks once more. @throws what the form is refused for */
export async function triedForm(ask: Ask, visit: Visit, sent: SentForm): Promise<TriedRun> {
  const { form } = visit.request;
  return awaitedRun(ask, visit, form.get("next") === lookAgain ? (form.get("tried") ?? "") : await start(ask, visit, sent));
}

/** For the script of the form: what was begun, or what is wrong beside its field. */
export async function triedByScript(ask: Ask, visit: Visit, sent: SentForm): Promise<FormAnswer> {
  try {
    const id = await start(ask, visit, sent);
    return json({ problems: {}, session: id, html: triedBox(await triedRun(ask, visit, id)).text });
  } catch (error) {
    const problems = refusedFields(error, problemPlaces(sent.type));
    return json({ problems, session: null, html: html`<p class="box bad">${problems[""] ?? texts.wrong}</p>`.text });
  }
}

async function start(ask: Ask, visit: Visit, { type, id, body }: SentForm): Promise<string> {
  const query = { runLocation: visit.request.form.get("runLocation") ?? "" };
  const given = { query, body: { ...body, checkType: type } };
  const started = await (id === null ? ask(visit, tryNewCheck, given) : ask(visit, tryCheck, { ...given, params: { id } }));
  return started.testSessionId;
}

function json(answer: object): FormAnswer {
  return { type: "application/json; charset=utf-8", body: JSON.stringify(answer) };
}
