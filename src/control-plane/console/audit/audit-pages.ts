import { listApiKeys } from "#contract/api-keys.ts";
import { listAuditLog } from "#contract/audit-log.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { CheckIndexStore, MemberStore } from "../../storage/storage.ts";
import { auditTexts } from "../../texts/audit.ts";
import type { Ask } from "../ask.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { auditPage } from "./audit-page.ts";
import { auditAsked, auditQuery } from "./audit-query.ts";
import { resourceNames } from "./resource-names.ts";

const pageSize = 50;

export interface AuditPageDeps {
  readonly members: Pick<MemberStore, "list">;
  readonly checkIndex: Pick<CheckIndexStore, "byUuids">;
}

/** Who changed what. */
export function auditPages(ask: Ask, deps: AuditPageDeps): readonly ConsolePage[] {
  return [{ method: "GET", path: "/audit", access: "admin", answer: (visit) => show(ask, deps, visit) }];
}

async function show(ask: Ask, deps: AuditPageDeps, visit: Visit): Promise<FormAnswer> {
  const asked = auditAsked(visit.request.query);
  const [{ entries, nextId }, keys, people] = await Promise.all([
    ask(visit, listAuditLog, { query: auditQuery(asked, pageSize) }),
    ask(visit, listApiKeys),
    deps.members.list(visit.account.id),
  ]);
  const whos = [
    ...people.map(({ uuid, name, email }) => [`user:${uuid}`, `${name} (${email})`] as const),
    ...keys.map(({ id, name, maskedKey }) => [`key:${id}`, auditTexts.key(`“${name}” ${maskedKey}`)] as const),
  ];
  return auditPage(visit, { asked, entries, nextId, whos, named: await resourceNames(ask, deps, visit, entries) });
}
