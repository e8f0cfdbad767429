import {
  createDashboard,
  createDashboardKey,
  type Dashboard,
  deleteDashboard,
  deleteDashboardKey,
  getDashboard,
  updateDashboard,
} from "#contract/dashboards.ts";
import { hasCode } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { dashboardFields, emptyDashboard } from "./dashboard-fields.ts";
import { dashboardFormPage } from "./dashboard-form-page.ts";
import { typedNames, writtenFields } from "./page-fields.ts";

const access = "write";

/** Dashboards are made and changed. */
export function dashboardPages(ask: Ask): readonly ConsolePage[] {
  const one = "/pages/dashboards/{dashboardId}";
  const write = { method: "POST", access } as const;
  return [
    { method: "GET", path: "/pages/dashboards/new", access, answer: async (visit) => blank(visit) },
    { ...write, path: "/pages/dashboards", answer: (visit) => create(ask, visit) },
    { method: "GET", path: one, access, answer: (visit) => show(ask, visit) },
    { ...write, path: one, answer: (visit) => change(ask, visit) },
    { ...write, path: `${one}/delete`, answer: (visit) => remove(ask, visit) },
    { ...write, path: `${one}/keys`, answer: (visit) => addKey(ask, visit) },
    { ...write, path: `${one}/keys/{keyId}/revoke`, answer: (visit) => revokeKey(ask, visit) },
  ];
}

function blank(visit: Visit): FormAnswer {
  return dashboardFormPage(visit, { dashboard: null, draft: emptyDashboard() });
}

/** A private one begins with a key, which only this answer shows. */
async function create(ask: Ask, visit: Visit): Promise<FormAnswer> {
  return written(visit, null, async (body) => {
    const dashboard = await ask(visit, createDashboard, { body });
    return withKey(visit, dashboard, "/pages?done=created");
  });
}

async function show(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const dashboard = await find(ask, visit);
  return dashboardFormPage(visit, { dashboard, draft: dashboard, done: visit.request.query.get("done") });
}

async function change(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const before = await find(ask, visit);
  return written(visit, before, async (body) => {
    const dashboard = await ask(visit, updateDashboard, { params: { dashboardId: before.dashboardId }, body });
    return withKey(visit, dashboard, `/pages/dashboards/${before.dashboardId}?done=changed`);
  });
}

/** On with `next`, unless the answer brought a key, which no other page shows. */
function withKey(visit: Visit, dashboard: Dashboard, next: string): FormAnswer {
  const rawKey = dashboard.keys.find((key) => key.rawKey !== undefined)?.rawKey;
  return rawKey === undefined ? redirect(next) : dashboardFormPage(visit, { dashboard, draft: dashboard, rawKey });
}

/** What `write` answers; the form once more, with what was typed, where it refuses that. */
async function written(visit: Visit, dashboard: Dashboard | null, write: (body: object) => Promise<FormAnswer>): Promise<FormAnswer> {
  const draft = writtenFields(dashboardFields, visit.request.form);
  try {
    return await write(draft);
  } catch (error) {
    return dashboardFormPage(visit, { dashboard, draft, problems: refusedFields(error, typedNames(dashboardFields)), status: 400 });
  }
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { dashboardId } = await find(ask, visit);
  await ask(visit, deleteDashboard, { params: { dashboardId } });
  return redirect("/pages?done=deleted");
}

async function addKey(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { dashboardId } = await find(ask, visit);
  try {
    const { rawKey } = await ask(visit, createDashboardKey, { params: { dashboardId } });
    const dashboard = await find(ask, visit);
    return dashboardFormPage(visit, { dashboard, draft: dashboard, rawKey });
  } catch (error) {
    if (!hasCode(error, "conflict")) throw error;
    const dashboard = await find(ask, visit);
    return dashboardFormPage(visit, { dashboard, draft: dashboard, problems: { "": `${error.message}.` }, status: 409 });
  }
}

async function revokeKey(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { dashboardId } = await find(ask, visit);
  await ask(visit, deleteDashboardKey, { params: { dashboardId, keyId: visit.request.params["keyId"] ?? "" } });
  return redirect(`/pages/dashboards/${dashboardId}?done=revoked`);
}

/** @throws {AppError} not_found also for dashboards of other accounts */
function find(ask: Ask, visit: Visit): Promise<Dashboard> {
  return ask(visit, getDashboard, { params: { dashboardId: visit.request.params["dashboardId"] ?? "" } });
}
