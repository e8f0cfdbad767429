import { triggerChecksV2 } from "#contract/check-sessions.ts";
import { hasCode } from "#domain/app-error.ts";
import { checkFormTexts as texts } from "../../texts/check-form.ts";
import { type Html, html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { runPlace, type StartedRun, startedRun } from "../check/run-box.ts";
import { liveBar } from "../live/live-bar.ts";
import type { Visit } from "../visit.ts";

/** A run of what was just saved, as the form's own page tells of it; `none`: it could not run. */
export type RunOfForm = StartedRun | "none" | null;

/** Where the form leads once it is saved: to the check, or with its second button back to itself and the run that it started. */
export async function afterSaving(ask: Ask, visit: Visit, id: string): Promise<string> {
  if (visit.request.form.get("next") !== "run") return `/checks/${id}`;
  return editAddress(id, await started(ask, visit, id));
}

/** What is off or has no location cannot run; it is saved all the same. */
async function started(ask: Ask, visit: Visit, id: string): Promise<string> {
  try {
    const { sessions } = await ask(visit, triggerChecksV2, { body: { target: { checkId: [id] } } });
    return sessions[0]?.checkSessionId ?? "none";
  } catch (error) {
    if (hasCode(error, "not_found")) return "none";
    throw error;
  }
}

function editAddress(id: string, session: string): string {
  return `/checks/${id}/edit?started=${session}#run`;
}

export async function runOfForm(ask: Ask, visit: Visit, id: string): Promise<RunOfForm> {
  const session = visit.request.query.get("started");
  return session === null || session === "none" ? session : startedRun(ask, visit, id, session);
}

/** The run below the form. */
export function runOfFormView(id: string, run: RunOfForm): Html {
  if (run === "none") return html`<p class="box" id="run">${texts.savedOnly}</p>`;
  if (run === null) return html``;
  return html`<h2 class="hidden">${texts.theRun}</h2>${liveBar(`/live/checks/${id}`)}${runPlace(run, editAddress(id, run.session.checkSessionId))}`;
}
