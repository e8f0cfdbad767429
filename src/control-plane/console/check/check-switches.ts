import { checkWrites, getCheckV1, updateCheck } from "#contract/checks/operations.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { AppError } from "#domain/app-error.ts";
import { roleAllows } from "#domain/key.ts";
import { muteHours, muteHoursOf } from "#domain/muted-for.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { CheckStore } from "../../storage/storage.ts";
import { checkFormTexts } from "../../texts/check-form.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { type Html, html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { hidden, postForm } from "../form-view.ts";
import { doneInList } from "../overview/list-address.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";

const texts = checkPageTexts.switches;

/** What one click does, and undoes with the button that stands in its place then. */
const switches = {
  deactivate: { activated: false },
  activate: { activated: true },
  mute: { muted: true },
  unmute: { muted: false },
} as const;

type SwitchName = keyof typeof switches;

export interface SwitchDeps {
  readonly checks: Pick<CheckStore, "muteUntil">;
  readonly nowMs: () => number;
}

export function checkSwitches(ask: Ask, deps: SwitchDeps): readonly ConsolePage[] {
  const does = (name: string, act: (visit: Visit, check: CheckRead) => Promise<unknown>): ConsolePage => ({
    method: "POST",
    path: `/checks/{id}/${name}`,
    access: "write",
    answer: async (visit) => {
      const check = await ask(visit, getCheckV1, { params: { id: visit.request.params["id"] ?? "" } });
      await act(visit, check);
      return done(visit, check.id, name);
    },
  });
  const toggles = (Object.keys(switches) as SwitchName[]).map((name) =>
    does(name, async (visit, check) => {
      if (name === "unmute") await muteFor(deps, visit, [check.id], null);
      // What the body leaves out stays as it is.
      if (name !== "unmute" || check.muted) await ask(visit, updateOf(check.checkType), { params: { id: check.id }, body: switches[name] });
    }),
  );
  return [...toggles, does("mute-for", (visit, check) => muteFor(deps, visit, [check.id], hoursOf(visit)))];
}

/** Back to where the button stood. */
function done({ request }: Visit, id: string, name: string): FormAnswer {
  const list = request.form.get("list");
  const group = request.form.get("group") ?? "";
  if (/^[1-9]\d{0,14}$/.test(group)) return redirect(`/groups/${group}?done=${name}`);
  return redirect(list === null ? `/checks/${id}?done=${name}` : doneInList(list, name));
}

/** @throws {AppError} invalid_input */
function hoursOf({ request }: Visit): number {
  const given = request.form.get("hours");
  const hours = muteHoursOf(given);
  if (hours === undefined) throw new AppError("invalid_input", texts.noHours(muteHours.join(", "), given ?? ""));
  return hours;
}

/** Mutes checks, so that it ends by itself; null: no longer. The audit log names each. @returns those that the account has */
export async function muteFor(
  { checks, nowMs }: SwitchDeps,
  visit: Visit,
  ids: readonly string[],
  hours: number | null,
): Promise<readonly string[]> {
  const now = nowMs();
  const found = await checks.muteUntil(visit.account.id, ids, hours === null ? null : now + hours * 3_600_000, now);
  for (const id of found) await visit.audit(hours === null ? "unmuteCheck" : "muteCheckForTime", id, ["mutedUntil"]);
  return found;
}

/** Some types are written by the operations of all types. */
export function updateOf(type: CheckTypeName) {
  return Object.entries(checkWrites).find(([name]) => name === type)?.[1].update ?? updateCheck;
}

/** For whoever may write; deleting asks once more. */
export function switchButtons(visit: Visit, { id, name, activated, muted }: CheckRead, mutedUntilMs: number | null): Html {
  if (!roleAllows(visit.role, "write")) return html``;
  const button = (to: SwitchName): Html =>
    postForm(`/checks/${id}/${to}`, visit.csrf, html`<button class="quiet">${texts.names[to]}</button>`);
  const isMuted = muted || mutedUntilMs !== null;
  const muteHour = postForm(
    `/checks/${id}/mute-for`,
    visit.csrf,
    html`${hidden("hours", "1")}<button class="quiet">${texts.muteHour}</button>`,
  );
  return html`${button(activated ? "deactivate" : "activate")}${isMuted ? button("unmute") : [muteHour, button("mute")]}${confirmedAction(visit.csrf, `/checks/${id}/delete`, checkFormTexts.deleteQuestion(name), checkFormTexts.delete, name)}`;
}
