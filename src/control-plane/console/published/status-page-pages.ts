import { createStatusPage, deleteStatusPage, getStatusPage, updateStatusPage } from "#contract/status-pages/pages.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { typedNames } from "./page-fields.ts";
import type { StatusPageRead } from "./page-words.ts";
import { allServices } from "./read-pages.ts";
import { afterStep } from "./status-page-cards.ts";
import { colorField, colorNames, themes } from "./status-page-colors.ts";
import { emptyStatusPage, type StatusPageDraft, statusPageBody, storedStatusPage, typedStatusPage } from "./status-page-draft.ts";
import { statusPageFields } from "./status-page-fields.ts";
import { type StatusPageView, statusPageFormPage } from "./status-page-form-page.ts";

const access = "write";

/** Status pages are made and changed. */
export function statusPagePages(ask: Ask): readonly ConsolePage[] {
  const one = "/pages/status/{statusPageId}";
  const write = { method: "POST", access } as const;
  return [
    { method: "GET", path: "/pages/status/new", access, answer: (visit) => form(ask, visit, null, { draft: emptyStatusPage() }) },
    { ...write, path: "/pages/status", answer: (visit) => create(ask, visit) },
    { method: "GET", path: one, access, answer: (visit) => show(ask, visit) },
    { ...write, path: one, answer: (visit) => change(ask, visit) },
    { ...write, path: `${one}/delete`, answer: (visit) => remove(ask, visit) },
  ];
}

async function form(
  ask: Ask,
  visit: Visit,
  page: StatusPageRead | null,
  view: Omit<StatusPageView, "page" | "services">,
): Promise<FormAnswer> {
  return statusPageFormPage(visit, { page, services: await allServices(ask, visit), ...view });
}

async function show(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const page = await statusPageOf(ask, visit);
  return form(ask, visit, page, { draft: storedStatusPage(page), done: visit.request.query.get("done") });
}

function create(ask: Ask, visit: Visit): Promise<FormAnswer> {
  return sent(ask, visit, null, async (body) => {
    await ask(visit, createStatusPage, { body });
    return redirect("/pages?done=statusPageMade");
  });
}

async function change(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const page = await statusPageOf(ask, visit);
  return sent(ask, visit, page, async (body) => {
    await ask(visit, updateStatusPage, { params: { statusPageId: page.id }, body });
    return redirect(`/pages/status/${page.id}?done=changed`);
  });
}

/** What `write` answers. The form once more, with what was typed, where that is refused, and where a button only changed the cards. */
async function sent(
  ask: Ask,
  visit: Visit,
  page: StatusPageRead | null,
  write: (body: object) => Promise<FormAnswer>,
): Promise<FormAnswer> {
  const draft = typedStatusPage(visit.request.form);
  const step = visit.request.form.get("step");
  if (step !== null) return form(ask, visit, page, { draft: { ...draft, cards: afterStep(draft.cards, step) } });
  try {
    return await write(statusPageBody(draft, page));
  } catch (error) {
    return form(ask, visit, page, { draft, problems: refusedFields(error, fieldNames(draft)), status: 400 });
  }
}

function fieldNames({ cards }: StatusPageDraft): readonly string[] {
  return [
    ...typedNames(statusPageFields),
    ...themes.flatMap((theme) => colorNames.map((name) => colorField(theme, name))),
    ...cards.flatMap((_, index) => [`cards[${index}].name`, `cards[${index}].services`]),
    "cards",
  ];
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { id } = await statusPageOf(ask, visit);
  await ask(visit, deleteStatusPage, { params: { statusPageId: id } });
  return redirect("/pages?done=statusPageDeleted");
}

/** @throws {AppError} not_found also for pages of other accounts */
export function statusPageOf(ask: Ask, visit: Visit): Promise<StatusPageRead> {
  return ask(visit, getStatusPage, { params: { statusPageId: visit.request.params["statusPageId"] ?? "" } });
}
