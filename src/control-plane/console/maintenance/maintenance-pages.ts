import { listMaintenanceWindows, type MaintenanceWindow } from "#contract/maintenance-windows.ts";
import { listMaintenances } from "#contract/maintenances.ts";
import { timeOf } from "#domain/maintenance.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { windowFormTexts as texts } from "../../texts/maintenance.ts";
import type { Ask } from "../ask.ts";
import type { FormProblems } from "../form-view.ts";
import { kindPages } from "../kind-pages.ts";
import { pageOf } from "../page-links.ts";
import { typed } from "../people/person-fields.ts";
import { allServices, allStatusPages } from "../published/read-pages.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { maintenancePage, type ShownWindow } from "./maintenance-page.ts";
import { occurrencePages } from "./occurrence-pages.ts";
import { emptyWindowForm, windowForm, writtenWindow } from "./window-form.ts";
import { windowFormPage } from "./window-form-page.ts";
import { visibilityField } from "./window-visibility.ts";
import { isIdle } from "./window-words.ts";

const pageSize = 50;

/** Times in which checks pause, or alert nobody. */
export function maintenancePages(ask: Ask): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/maintenance", access: "read", answer: (visit) => list(ask, visit) },
    ...kindPages<"maintenance-window", URLSearchParams>(ask, {
      kind: "maintenance-window",
      path: "/maintenance",
      after: (done) => `/maintenance?done=${done}`,
      page: async (visit, { stored: window, draft: form, ...view }) => {
        const [services, statusPages] = await Promise.all([allServices(ask, visit), allStatusPages(ask, visit)]);
        return windowFormPage(visit, { services, statusPages, window, form, ...view });
      },
      blank: emptyWindowForm,
      drafted: windowForm,
      typed: (form) => form,
      body: writtenWindow,
      fields: () => fields,
      problems: wrongTimes,
      answered: (_, window) => (isIdle(window) ? redirect("/maintenance?done=idle") : undefined),
    }),
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

/** The operation takes a window that ends when it starts, as clients write such; it never holds, so nobody types it on purpose. */
function wrongTimes(form: URLSearchParams, stored: MaintenanceWindow | null): FormProblems {
  const [startsAt, endsAt] = [typed(form, "startsAt"), typed(form, "endsAt")];
  const shown = stored === null ? null : windowForm(stored);
  const isAsStored = shown?.get("startsAt") === startsAt && shown.get("endsAt") === endsAt;
  const isEmpty = startsAt !== "" && startsAt === endsAt && !isAsStored;
  return {
    startsAt: startsAt === "" ? texts.noStart : undefined,
    endsAt: endsAt === "" ? texts.noEnd : isEmpty ? texts.noLength : undefined,
  };
}
