import {
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  getMaintenanceWindow,
  listMaintenanceWindows,
  type MaintenanceWindow,
  updateMaintenanceWindow,
} from "#contract/maintenance-windows.ts";
import { listMaintenances } from "#contract/maintenances.ts";
import { AppError } from "#domain/app-error.ts";
import { timeOf } from "#domain/maintenance.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { type FormProblems, hasProblem } from "../form-view.ts";
import { pageOf } from "../page-links.ts";
import { typed } from "../people/person-fields.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { maintenancePage, type ShownWindow } from "./maintenance-page.ts";
import { windowForm, writtenWindow } from "./window-form.ts";
import { windowFormPage } from "./window-form-page.ts";

const access = "write";
const pageSize = 50;

/** Times in which checks pause, or alert nobody. */
export function maintenancePages(ask: Ask): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/maintenance", access: "read", answer: (visit) => list(ask, visit) },
    {
      method: "GET",
      path: "/maintenance/new",
      access,
      answer: async (visit) => windowFormPage(visit, { form: new URLSearchParams(), window: null }),
    },
    { method: "POST", path: "/maintenance", access, answer: (visit) => create(ask, visit) },
    { method: "GET", path: "/maintenance/{id}", access, answer: (visit) => show(ask, visit) },
    { method: "POST", path: "/maintenance/{id}", access, answer: (visit) => change(ask, visit) },
    { method: "POST", path: "/maintenance/{id}/delete", access, answer: (visit) => remove(ask, visit) },
  ];
}

async function list(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { query } = visit.request;
  const page = pageOf(query);
  const { items, total } = await ask(visit, listMaintenanceWindows, { query: { limit: String(pageSize), page: String(page) } });
  const windows = await Promise.all(items.map((window) => withNext(ask, visit, window)));
  return maintenancePage(visit, { windows: windows.toSorted(inOrder), total, page, pageSize, done: query.get("done") });
}

const overStatuses: readonly string[] = ["COMPLETED", "CANCELLED"];

/** What is over comes last in the list; what was called off may stand before. */
async function withNext(ask: Ask, visit: Visit, window: MaintenanceWindow): Promise<ShownWindow> {
  const { items } = await ask(visit, listMaintenances, { params: { id: String(window.id) }, query: { limit: "50" } });
  return { window, next: items.find(({ status }) => !overStatuses.includes(status)) ?? null };
}

/** What goes on or comes next first; what is over last. */
function inOrder(a: ShownWindow, b: ShownWindow): number {
  const startOf = ({ window, next }: ShownWindow): number =>
    next === null ? Number.MAX_VALUE : (timeOf(next.startsAt, window.timezone) ?? Number.MAX_VALUE);
  return startOf(a) - startOf(b) || b.window.id - a.window.id;
}

const fields = ["name", "startsAt", "endsAt", "repeatInterval", "repeatEndsAt", "tags", "silenceAlertsTags", "description"];

async function create(ask: Ask, visit: Visit): Promise<FormAnswer> {
  return written(visit, null, async (body) => {
    await ask(visit, createMaintenanceWindow, { body });
    return redirect("/maintenance?done=created");
  });
}

async function show(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const window = await find(ask, visit);
  return windowFormPage(visit, { form: windowForm(window), window });
}

async function change(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const window = await find(ask, visit);
  return written(visit, window, async (body) => {
    await ask(visit, updateMaintenanceWindow, { params: { id: String(window.id) }, body });
    return redirect("/maintenance?done=changed");
  });
}

/** What `write` answers; the form once more, with what was typed, where it refuses that. */
async function written(visit: Visit, window: MaintenanceWindow | null, write: (body: object) => Promise<FormAnswer>): Promise<FormAnswer> {
  const { form } = visit.request;
  const again = (problems: FormProblems): FormAnswer => windowFormPage(visit, { form, window, problems, status: 400 });
  const missing = missingTimes(form);
  if (hasProblem(missing)) return again(missing);
  try {
    return await write(writtenWindow(form, window));
  } catch (error) {
    return again(refusedFields(error, fields));
  }
}

function missingTimes(form: URLSearchParams): FormProblems {
  return {
    startsAt: typed(form, "startsAt") === "" ? "Enter when it starts." : undefined,
    endsAt: typed(form, "endsAt") === "" ? "Enter when it ends." : undefined,
  };
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  await ask(visit, deleteMaintenanceWindow, { params: { id: idOf(visit) } });
  return redirect("/maintenance?done=deleted");
}

function find(ask: Ask, visit: Visit): Promise<MaintenanceWindow> {
  return ask(visit, getMaintenanceWindow, { params: { id: idOf(visit) } });
}

/** @throws {AppError} not_found for what is no id */
function idOf({ request: { params } }: Visit): string {
  const id = params["id"] ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError("not_found", "There is no such maintenance window.");
  return id;
}
