import { randomBytes } from "node:crypto";
import type { Dashboard, DashboardKey, DashboardUpdate } from "#contract/dashboards.ts";
import { noProjectBindings } from "#contract/project-bindings.ts";
import { hasCode } from "#domain/app-error.ts";
import { maskKey, newKey } from "#domain/key.ts";
import type { DocumentRow, DocumentStore, NewDocument } from "../storage/storage.ts";
import { documentKind, type KindCall } from "./document-kind.ts";
import { instant } from "./instants.ts";
import { dashboardUrlClaim, domainClaim, type PageAddress } from "./page-addresses.ts";

export interface StoredKey {
  readonly id: string;
  readonly hash: string;
  readonly maskedKey: string;
  readonly createdAtMs: number;
}

export type DashboardSettings = Omit<Dashboard, "id" | "dashboardId" | "created_at" | "keys">;

/** What is stored of a dashboard; its dashboardId is the document's name. */
export interface DashboardDefinition {
  readonly settings: DashboardSettings;
  readonly keys: readonly StoredKey[];
}

export const dashboardKind = documentKind<DashboardDefinition>()({
  kind: "dashboard",
  create(body, call) {
    const settings = settingsOf(body);
    return { definition: { settings, keys: settings.isPrivate ? [newDashboardKey(call).stored] : [] } };
  },
  update(body, { name, definition: { keys } }, call) {
    const settings = settingsOf(body);
    const needsKey = settings.isPrivate && keys.length === 0;
    return { definition: { settings, keys: needsKey ? [newDashboardKey(call).stored] : keys }, claims: [idClaim(name ?? "")] };
  },
  pageAddresses: addressesOf,
  store: { create: (document, _body, { documents }) => createUnderNewId(documents, document) },
  view: dashboardView,
  listed: (dashboard) => ({ ...dashboard, projectBindings: noProjectBindings }),
  own: ["find"],
});

/** Pages are found by it without their account. */
export function idClaim(dashboardId: string): string {
  return `dashboard-id:${dashboardId}`;
}

/** A key to be stored; the answer to `call` shows it. */
export function newDashboardKey({ hashOf, nowMs, shownOnce }: Pick<KindCall, "hashOf" | "nowMs" | "shownOnce">) {
  const [id, rawKey] = [crypto.randomUUID(), newKey("dashboard", randomBytes)];
  shownOnce.set(id, rawKey);
  const stored: StoredKey = { id, hash: hashOf(rawKey), maskedKey: maskKey(rawKey), createdAtMs: nowMs };
  return { stored, rawKey };
}

export function dashboardKeyView({ id, maskedKey, createdAtMs }: StoredKey, { shownOnce }: Pick<KindCall, "shownOnce">): DashboardKey {
  const rawKey = shownOnce.get(id);
  return { id, maskedKey, created_at: instant(createdAtMs), updated_at: null, ...(rawKey !== undefined && { rawKey }) };
}

export function dashboardView(row: DocumentRow<DashboardDefinition>, call: Pick<KindCall, "shownOnce">): Dashboard {
  const { settings, keys } = row.definition;
  return {
    ...settings,
    id: row.id,
    dashboardId: row.name ?? "",
    created_at: instant(row.createdAtMs),
    keys: keys.map((key) => dashboardKeyView(key, call)),
  };
}

function settingsOf({ keys: _ignored, ...settings }: DashboardUpdate): DashboardSettings {
  return settings;
}

function addressesOf({ customUrl, customDomain }: DashboardUpdate, accountId: number): PageAddress[] {
  return [
    ...(customUrl ? [{ field: "customUrl", value: customUrl, claim: dashboardUrlClaim(customUrl) }] : []),
    ...(customDomain ? [{ field: "customDomain", value: customDomain, claim: domainClaim(accountId, customDomain) }] : []),
  ];
}

const maxIdTries = 10;

/** The id is short, so that it can be taken: then another one is tried. */
async function createUnderNewId(
  documents: Pick<DocumentStore, "create">,
  document: NewDocument<DashboardDefinition>,
): Promise<DocumentRow<DashboardDefinition>> {
  for (let tried = 1; ; tried += 1) {
    const name = randomBytes(4).toString("hex");
    try {
      return await documents.create({ ...document, name, claims: [...(document.claims ?? []), idClaim(name)] });
    } catch (error) {
      const isIdTaken = hasCode(error, "conflict") && [name, idClaim(name)].includes(String(error.attributes["taken"]));
      if (!isIdTaken || tried === maxIdTries) throw error;
    }
  }
}
