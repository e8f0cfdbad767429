import type { MaintenanceWindow } from "#contract/maintenance-windows.ts";
import {
  changeMaintenanceUpdate,
  createMaintenanceUpdate,
  deleteMaintenance,
  deleteMaintenanceUpdate,
  getMaintenance,
  listMaintenances,
  type Maintenance,
  type MaintenanceUpdate,
  moveMaintenance,
} from "#contract/maintenances.ts";
import { AppError } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { findStored } from "../kind-pages.ts";
import { pageOf } from "../page-links.ts";
import { typed } from "../people/person-fields.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { editTellingPage, occurrencePage } from "./occurrence-page.ts";
import { occurrencesPage, pathOf } from "./occurrences-page.ts";
import { localText } from "./window-form.ts";

const pageSize = 25;

/** Single occurrences of a window: moved, skipped and told about. */
export function occurrencePages(ask: Ask): readonly ConsolePage[] {
  const all = "/maintenance/{id}/occurrences";
  const one = `${all}/{maintenanceId}` as const;
  const update = `${one}/updates/{updateId}` as const;
  const [read, write] = [{ method: "GET", access: "read" } as const, { method: "POST", access: "write" } as const];
  return [
    { ...read, path: all, answer: (visit) => list(ask, visit) },
    { ...read, path: one, answer: (visit) => show(ask, visit) },
    { ...write, path: `${one}/move`, answer: (visit) => move(ask, visit) },
    { ...write, path: `${one}/skip`, answer: (visit) => skip(ask, visit) },
    { ...write, path: `${one}/updates`, answer: (visit) => tell(ask, visit) },
    { ...write, method: "GET", path: update, answer: (visit) => showUpdate(ask, visit) },
    { ...write, path: update, answer: (visit) => changeUpdate(ask, visit) },
    { ...write, path: `${update}/delete`, answer: (visit) => removeUpdate(ask, visit) },
  ];
}

interface Found {
  readonly window: MaintenanceWindow;
  readonly occurrence: Maintenance;
}

async function list(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const window = await findStored(ask, visit, "maintenance-window");
  const { query } = visit.request;
  const page = pageOf(query);
  const asked = { params: { id: String(window.id) }, query: { limit: String(pageSize), page: String(page) } };
  const { items, total } = await ask(visit, listMaintenances, asked);
  return occurrencesPage(visit, { window, occurrences: items, total, page, pageSize, done: query.get("done") });
}

async function show(ask: Ask, visit: Visit): Promise<FormAnswer> {
  return occurrencePage(visit, { ...(await found(ask, visit)), done: visit.request.query.get("done") });
}

/** What was not touched stays as it was written. */
async function move(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { window, occurrence } = await found(ask, visit);
  const [startsAt, endsAt] = [typed(visit.request.form, "startsAt"), typed(visit.request.form, "endsAt")];
  const isNew = (text: string, stored: string): boolean => text !== localText(stored, window.timezone);
  const body = { ...(isNew(startsAt, occurrence.startsAt) && { startsAt }), ...(isNew(endsAt, occurrence.endsAt) && { endsAt }) };
  try {
    await ask(visit, moveMaintenance, { params: visit.request.params, body });
    return redirect(`${pathOf(window, occurrence)}?done=moved`);
  } catch (error) {
    const problems = refusedFields(error, ["startsAt", "endsAt"]);
    return occurrencePage(visit, { window, occurrence, times: { startsAt, endsAt }, problems, status: 400 });
  }
}

async function skip(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const window = await findStored(ask, visit, "maintenance-window");
  await ask(visit, deleteMaintenance, { params: visit.request.params });
  return redirect(`${pathOf(window)}?done=skipped`);
}

async function tell(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { window, occurrence } = await found(ask, visit);
  const { form, params } = visit.request;
  const update = { ...tellingOf(form), notifySubscribers: form.has("notifySubscribers") };
  try {
    await ask(visit, createMaintenanceUpdate, { params, body: update });
    return redirect(`${pathOf(window, occurrence)}?done=told`);
  } catch (error) {
    return occurrencePage(visit, { window, occurrence, update, problems: refusedFields(error, ["description"]), status: 400 });
  }
}

/** Browsers send line breaks as two characters. */
function tellingOf(form: URLSearchParams) {
  return { description: typed(form, "description").replaceAll("\r\n", "\n"), status: form.get("status") ?? "" };
}

async function showUpdate(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { window, occurrence } = await found(ask, visit);
  const update = updateOf(visit, occurrence);
  return editTellingPage(visit, { window, occurrence, update, draft: update });
}

async function changeUpdate(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { window, occurrence } = await found(ask, visit);
  const update = updateOf(visit, occurrence);
  const draft = tellingOf(visit.request.form);
  try {
    await ask(visit, changeMaintenanceUpdate, { params: visit.request.params, body: draft });
    return redirect(`${pathOf(window, occurrence)}?done=corrected`);
  } catch (error) {
    return editTellingPage(visit, { window, occurrence, update, draft, problems: refusedFields(error, ["description"]), status: 400 });
  }
}

async function removeUpdate(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { window, occurrence } = await found(ask, visit);
  await ask(visit, deleteMaintenanceUpdate, { params: visit.request.params });
  return redirect(`${pathOf(window, occurrence)}?done=withdrawn`);
}

/** @throws {AppError} not_found */
async function found(ask: Ask, visit: Visit): Promise<Found> {
  const window = await findStored(ask, visit, "maintenance-window");
  return { window, occurrence: await ask(visit, getMaintenance, { params: visit.request.params }) };
}

/** @throws {AppError} not_found */
function updateOf(visit: Visit, { updates }: Maintenance): MaintenanceUpdate {
  const id = visit.request.params["updateId"]?.toLowerCase();
  const update = updates.find((one) => one.id === id);
  if (update === undefined) throw new AppError("not_found", "There is no such update.");
  return update;
}
