import { createDashboardKey, type Dashboard, deleteDashboardKey } from "#contract/dashboards.ts";
import { hasCode } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { findStored, kindPages } from "../kind-pages.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { dashboardFields, emptyDashboard } from "./dashboard-fields.ts";
import { dashboardFormPage } from "./dashboard-form-page.ts";
import { type PageDraft, typedNames, writtenFields } from "./page-fields.ts";

const one = "/pages/dashboards/{dashboardId}";

/** Dashboards are made and changed. */
export function dashboardPages(ask: Ask): readonly ConsolePage[] {
  const write = { method: "POST", access: "write" } as const;
  return [
    ...kindPages<"dashboard", PageDraft>(ask, {
      kind: "dashboard",
      path: "/pages/dashboards",
      after: (done, stored) => (stored === null ? `/pages?done=${done}` : `/pages/dashboards/${stored.dashboardId}?done=${done}`),
      page: (visit, { stored: dashboard, ...view }) => dashboardFormPage(visit, { dashboard, ...view }),
      blank: emptyDashboard,
      drafted: (dashboard) => dashboard,
      typed: (form) => writtenFields(dashboardFields, form),
      body: (draft) => draft,
      fields: () => typedNames(dashboardFields),
      answered: withNewKey,
    }),
    { ...write, path: `${one}/keys`, answer: (visit) => addKey(ask, visit) },
    { ...write, path: `${one}/keys/{keyId}/revoke`, answer: (visit) => revokeKey(ask, visit) },
  ];
}

/** A private dashboard begins with a key, which only the answer to that write shows. */
function withNewKey(visit: Visit, dashboard: Dashboard): FormAnswer | undefined {
  const rawKey = dashboard.keys.find((key) => key.rawKey !== undefined)?.rawKey;
  return rawKey === undefined ? undefined : dashboardFormPage(visit, { dashboard, draft: dashboard, rawKey });
}

async function addKey(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { dashboardId } = await findStored(ask, visit, "dashboard");
  try {
    const { rawKey } = await ask(visit, createDashboardKey, { params: { dashboardId } });
    const dashboard = await findStored(ask, visit, "dashboard");
    return dashboardFormPage(visit, { dashboard, draft: dashboard, rawKey });
  } catch (error) {
    if (!hasCode(error, "conflict")) throw error;
    const dashboard = await findStored(ask, visit, "dashboard");
    return dashboardFormPage(visit, { dashboard, draft: dashboard, problems: { "": `${error.message}.` }, status: 409 });
  }
}

async function revokeKey(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { dashboardId } = await findStored(ask, visit, "dashboard");
  await ask(visit, deleteDashboardKey, { params: { dashboardId, keyId: visit.request.params["keyId"] ?? "" } });
  return redirect(`/pages/dashboards/${dashboardId}?done=revoked`);
}
