import { randomBytes } from "node:crypto";
import {
  createDashboard,
  createDashboardKey,
  type Dashboard,
  type DashboardKey,
  type DashboardUpdate,
  deleteDashboard,
  deleteDashboardKey,
  getDashboard,
  listDashboards,
  updateDashboard,
} from "#contract/dashboards.ts";
import { noProjectBindings } from "#contract/project-bindings.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { maskKey, newKey } from "#domain/key.ts";
import { type Handler, handler } from "../http/handler.ts";
import { type DashboardDefinition, type DashboardSettings, idClaim, type StoredKey } from "../kinds/dashboard.ts";
import { findDocument, found } from "../kinds/find-document.ts";
import { instant } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import {
  type DomainDeps,
  dashboardUrlClaim,
  domainClaim,
  type PageAddress,
  refuseDomainOfOthers,
  withAddresses,
} from "../kinds/page-addresses.ts";
import { removeDocument } from "../kinds/remove-document.ts";
import type { DocumentRow, DocumentStore } from "../storage/storage.ts";

export interface DashboardDeps extends DomainDeps {
  readonly documents: DocumentStore;
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
}

type DashboardRow = DocumentRow<DashboardDefinition>;

/** Two, so that a key can be replaced without a gap, as with private locations (behaviour 1). */
const maxKeys = 2;
const maxIdTries = 10;

export function dashboardHandlers(deps: DashboardDeps): readonly Handler[] {
  return [...readHandlers(deps), ...writeHandlers(deps), ...keyHandlers(deps)];
}

function readHandlers({ documents }: DashboardDeps): readonly Handler[] {
  return [
    handler(listDashboards, async ({ query }, { caller }) => {
      const { items, total } = await documents.list<DashboardDefinition>(caller.account.id, "dashboard", query);
      return { items: items.map((row) => ({ ...dashboardView(row), projectBindings: noProjectBindings })), total };
    }),
    handler(getDashboard, async ({ params: { dashboardId }, query: { type } }, { caller }) => {
      const accountId = caller.account.id;
      if (type === undefined) return dashboardView(await findDocument(documents, accountId, "dashboard", addressOf(dashboardId)));
      const claim = type === "customUrl" ? dashboardUrlClaim(dashboardId) : domainClaim(accountId, dashboardId);
      const row = await documents.byClaim<DashboardDefinition>("dashboard", claim);
      return dashboardView(found(row?.accountId === accountId ? row : undefined, "dashboard", { name: dashboardId }));
    }),
  ];
}

function writeHandlers(deps: DashboardDeps): readonly Handler[] {
  const { documents, nowMs } = deps;
  return [
    handler(createDashboard, async ({ body }, { caller }) => {
      const settings = settingsOf(body);
      const first = settings.isPrivate ? makeKey(deps) : undefined;
      const definition = { settings, keys: first ? [first.stored] : [] };
      await refuseDomainOfOthers(deps, caller.account.id, settings.customDomain);
      const row = await withAddresses(addressesOf(caller.account.id, settings), (claims) =>
        createUnderNewId(deps, caller.account.id, definition, claims),
      );
      return dashboardView(row, first);
    }),
    handler(updateDashboard, async ({ params: { dashboardId }, body }, { caller }) => {
      const settings = settingsOf(body);
      const spare = makeKey(deps);
      await refuseDomainOfOthers(deps, caller.account.id, settings.customDomain);
      const row = await withAddresses(addressesOf(caller.account.id, settings), (claims) =>
        documents.update<DashboardDefinition>(
          caller.account.id,
          "dashboard",
          addressOf(dashboardId),
          ({ name, definition: { keys } }) => ({
            definition: { settings, keys: settings.isPrivate && keys.length === 0 ? [spare.stored] : keys },
            claims: [...claims, idClaim(name ?? "")],
          }),
          nowMs(),
        ),
      );
      return dashboardView(found(row, "dashboard", addressOf(dashboardId)), spare);
    }),
    handler(deleteDashboard, ({ params: { dashboardId } }, { caller }) =>
      removeDocument(documents, caller.account.id, "dashboard", addressOf(dashboardId)),
    ),
  ];
}

function keyHandlers(deps: DashboardDeps): readonly Handler[] {
  const { documents, nowMs } = deps;
  async function changeKeys(accountId: number, dashboardId: string, change: (keys: readonly StoredKey[]) => readonly StoredKey[]) {
    const changed = ({ definition }: DashboardRow) => ({ definition: { ...definition, keys: change(definition.keys) } });
    const row = await documents.update(accountId, "dashboard", addressOf(dashboardId), changed, nowMs());
    found(row, "dashboard", addressOf(dashboardId));
  }
  return [
    handler(createDashboardKey, async ({ params: { dashboardId } }, { caller }) => {
      const key = makeKey(deps);
      await changeKeys(caller.account.id, dashboardId, (keys) => {
        if (keys.length < maxKeys) return [...keys, key.stored];
        throw new AppError("conflict", `The dashboard ${dashboardId} has ${maxKeys} keys already; revoke one first`);
      });
      return { ...keyView(key.stored), rawKey: key.rawKey };
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

/** The id is short, so that it can be taken: then another one is tried. */
async function createUnderNewId(
  { documents, nowMs }: DashboardDeps,
  accountId: number,
  definition: DashboardDefinition,
  claims: readonly string[],
): Promise<DashboardRow> {
  for (let tried = 1; ; tried += 1) {
    const name = randomBytes(4).toString("hex");
    try {
      return await documents.create({
        accountId,
        kind: "dashboard",
        name,
        definition,
        claims: [...claims, idClaim(name)],
        nowMs: nowMs(),
      });
    } catch (error) {
      const isIdTaken = hasCode(error, "conflict") && [name, idClaim(name)].includes(String(error.attributes["taken"]));
      if (!isIdTaken || tried === maxIdTries) throw error;
    }
  }
}

function makeKey({ hashOf, nowMs }: DashboardDeps): { readonly rawKey: string; readonly stored: StoredKey } {
  const rawKey = newKey("dashboard", randomBytes);
  return {
    rawKey,
    stored: { id: crypto.randomUUID(), hash: hashOf(rawKey), maskedKey: maskKey(rawKey), createdAtMs: nowMs() },
  };
}

function settingsOf({ keys: _ignored, ...settings }: DashboardUpdate): DashboardSettings {
  return settings;
}

function addressesOf(accountId: number, { customUrl, customDomain }: DashboardSettings): PageAddress[] {
  return [
    ...(customUrl ? [{ field: "customUrl", value: customUrl, claim: dashboardUrlClaim(customUrl) }] : []),
    ...(customDomain ? [{ field: "customDomain", value: customDomain, claim: domainClaim(accountId, customDomain) }] : []),
  ];
}

function addressOf(dashboardId: string): { readonly name: string } {
  return { name: dashboardId.toLowerCase() };
}

/** @param shown a key whose raw form this answer tells, if the dashboard has it */
function dashboardView(row: DashboardRow, shown?: ReturnType<typeof makeKey>): Dashboard {
  const { settings, keys } = row.definition;
  return {
    ...settings,
    id: row.id,
    dashboardId: row.name ?? "",
    created_at: instant(row.createdAtMs),
    keys: keys.map((key) => (key.id === shown?.stored.id ? { ...keyView(key), rawKey: shown.rawKey } : keyView(key))),
  };
}

function keyView({ id, maskedKey, createdAtMs }: StoredKey): DashboardKey {
  return { id, maskedKey, created_at: instant(createdAtMs), updated_at: null };
}
