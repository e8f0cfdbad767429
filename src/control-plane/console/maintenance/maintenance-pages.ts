import {
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  listMaintenanceWindows,
  type MaintenanceWindow,
  updateMaintenanceWindow,
} from "#contract/maintenance-windows.ts";
import { listMaintenances } from "#contract/maintenances.ts";
import { timeOf } from "#domain/maintenance.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { windowFormTexts as texts } from "../../texts/maintenance.ts";
import type { Ask } from "../ask.ts";
import { type FormProblems, hasProblem } from "../form-view.ts";
import { pageOf } from "../page-links.ts";
import { typed } from "../people/person-fields.ts";
import { allServices, allStatusPages } from "../published/read-pages.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { maintenancePage, type ShownWindow } from "./maintenance-page.ts";
import { occurrencePages } from "./occurrence-pages.ts";
import { emptyWindowForm, windowForm, writtenWindow } from "./window-form.ts";
import { windowFormPage } from "./window-form-page.ts";
import { idOf, windowOf } from "./window-of.ts";
import { visibilityField } from "./window-visibility.ts";

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
      answer: (visit) => form(ask, visit, { form: emptyWindowForm(), window: null }),
    },
    { method: "POST", path: "/maintenance", access, answer: (visit) => create(ask, visit) },
    { method: "GET", path: "/maintenance/{id}", access, answer: (visit) => show(ask, visit) },
    { method: "POST", path: "/maintenance/{id}", access, answer: (visit) => change(ask, visit) },
    { method: "POST", path: "/maintenance/{id}/delete", access, answer: (visit) => remove(ask, visit) },
    ...occurrencePages(ask),
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

const fields = [
  "name",
  "startsAt",
  "endsAt",
  "repeatInterval",
  "repeatEndsAt",
  "tags",
  "silenceAlertsTags",
  "description",
  visibilityField("reminderMinutesBefore"),
  visibilityField("serviceIds"),
  visibilityField("statusPageIds"),
];

async function create(ask: Ask, visit: Visit): Promise<FormAnswer> {
  return written(ask, visit, null, async (body) => {
    await ask(visit, createMaintenanceWindow, { body });
    return redirect("/maintenance?done=created");
  });
}

async function show(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const window = await windowOf(ask, visit);
  return form(ask, visit, { form: windowForm(window), window });
}

async function form(
  ask: Ask,
  visit: Visit,
  view: Omit<Parameters<typeof windowFormPage>[1], "services" | "statusPages">,
): Promise<FormAnswer> {
  const [services, statusPages] = await Promise.all([allServices(ask, visit), allStatusPages(ask, visit)]);
  return windowFormPage(visit, { services, statusPages, ...view });
}

async function change(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const window = await windowOf(ask, visit);
  return written(ask, visit, window, async (body) => {
    await ask(visit, updateMaintenanceWindow, { params: { id: String(window.id) }, body });
    return redirect("/maintenance?done=changed");
  });
}

/** What `write` answers; the form once more, with what was typed, where it refuses that. */
async function written(
  ask: Ask,
  visit: Visit,
  window: MaintenanceWindow | null,
  write: (body: object) => Promise<FormAnswer>,
): Promise<FormAnswer> {
  const given = visit.request.form;
  const again = (problems: FormProblems) => form(ask, visit, { form: given, window, problems, status: 400 });
  const missing = missingTimes(given);
  if (hasProblem(missing)) return again(missing);
  try {
    return await write(writtenWindow(given, window));
  } catch (error) {
    return again(refusedFields(error, fields));
  }
}

function missingTimes(form: URLSearchParams): FormProblems {
  return {
    startsAt: typed(form, "startsAt") === "" ? texts.noStart : undefined,
    endsAt: typed(form, "endsAt") === "" ? texts.noEnd : undefined,
  };
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  await ask(visit, deleteMaintenanceWindow, { params: { id: idOf(visit) } });
  return redirect("/maintenance?done=deleted");
}
