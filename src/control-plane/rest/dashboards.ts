import { createDashboardKey, deleteDashboardKey, getDashboard } from "#contract/dashboards.ts";
import { AppError } from "#domain/app-error.ts";
import { type Handler, handler } from "../http/handler.ts";
import { type DashboardDefinition, dashboardKeyView, dashboardView, newDashboardKey, type StoredKey } from "../kinds/dashboard.ts";
import type { KindDeps } from "../kinds/document-kind.ts";
import { findDocument, found } from "../kinds/find-document.ts";
import { notFound } from "../kinds/not-found.ts";
import { dashboardUrlClaim, domainClaim } from "../kinds/page-addresses.ts";
import type { DocumentRow } from "../storage/storage.ts";
import { kindCall } from "./kind-handlers.ts";

/** Two, so that a key can be replaced without a gap, as with private locations (behaviour 1). */
const maxKeys = 2;

/** What a dashboard can do beside what all kinds can. */
export function dashboardHandlers(deps: KindDeps): readonly Handler[] {
  const { documents } = deps;
  async function changeKeys(accountId: number, dashboardId: string, change: (keys: readonly StoredKey[]) => readonly StoredKey[]) {
    const changed = ({ definition }: DocumentRow<DashboardDefinition>) => ({
      definition: { ...definition, keys: change(definition.keys) },
    });
    const address = { name: dashboardId };
    found(await documents.update(accountId, "dashboard", address, changed, deps.nowMs()), "dashboard", address);
  }
  return [
    handler(getDashboard, async ({ params: { dashboardId }, query: { type } }, { caller }) => {
      const call = kindCall(deps, caller);
      const accountId = caller.account.id;
      if (type === undefined) return dashboardView(await findDocument(documents, accountId, "dashboard", { name: dashboardId }), call);
      const claim = type === "customUrl" ? dashboardUrlClaim(dashboardId) : domainClaim(accountId, dashboardId);
      const row = await documents.byClaim<DashboardDefinition>("dashboard", claim);
      return dashboardView(found(row?.accountId === accountId ? row : undefined, "dashboard", { name: dashboardId }), call);
    }),
    handler(createDashboardKey, async ({ params: { dashboardId } }, { caller }) => {
      const call = kindCall(deps, caller);
      const { stored, rawKey } = newDashboardKey(call);
      await changeKeys(caller.account.id, dashboardId, (keys) => {
        if (keys.length < maxKeys) return [...keys, stored];
        throw new AppError("conflict", `The dashboard ${dashboardId} has ${maxKeys} keys already; revoke one first`);
      });
      return { ...dashboardKeyView(stored, call), rawKey };
    }),
    handler(deleteDashboardKey, async ({ params: { dashboardId, keyId } }, { caller }) => {
      await changeKeys(caller.account.id, dashboardId, (keys) => {
        const left = keys.filter(({ id }) => id !== keyId.toLowerCase());
        if (left.length === keys.length) throw notFound("key", keyId);
        return left;
      });
      return undefined;
    }),
  ];
}
