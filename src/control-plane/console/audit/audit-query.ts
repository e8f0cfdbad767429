import { operations } from "#contract/operations.ts";
import { auditTexts } from "../../texts/audit.ts";
import { addressWith } from "../page-links.ts";

/** What an address asks of the audit log. Texts are as they stand in the fields of the filter. */
export interface AuditAsked {
  /** Id of an operation; empty: all. */
  readonly operation: string;
  /** `key:<id>` or `user:<id>`; empty: whoever it was. */
  readonly who: string;
  /** Id of what was made, changed or deleted; empty: anything. */
  readonly resource: string;
  /** Like 2026-11-22T14:05, in UTC. */
  readonly from: string;
  readonly to: string;
  /** Where an earlier page ended; empty: from the newest on. */
  readonly after: string;
}

/** What makes no sense is as if it was not asked. */
export function auditAsked(query: URLSearchParams): AuditAsked {
  const matching = (name: string, form: RegExp): string => (form.test(query.get(name) ?? "") ? (query.get(name) ?? "") : "");
  return {
    operation: matching("operation", /^[\w-]{1,100}$/),
    who: matching("who", /^(key|user):[\w-]{1,100}$/),
    resource: matching("resource", /^[\w:.-]{1,100}$/),
    from: timeText(query.get("from")),
    to: timeText(query.get("to")),
    after: matching("after", /^\d{1,15}-\d{1,15}$/),
  };
}

/** As the operation takes it. */
export function auditQuery({ operation, who, resource, from, to, after }: AuditAsked, pageSize: number): Readonly<Record<string, string>> {
  const [kind, id = ""] = who.split(":");
  return {
    limit: String(pageSize),
    ...(operation !== "" && { operation: alike(operation).join(",") }),
    ...(id !== "" && { [kind === "key" ? "keyId" : "userId"]: id }),
    ...(resource !== "" && { resourceId: resource }),
    ...(from !== "" && { from: String(msOf(from)) }),
    ...(to !== "" && { to: String(msOf(to)) }),
    ...(after !== "" && { nextId: after }),
  };
}

export function auditAddress(asked: AuditAsked): string {
  return addressWith("/audit", { ...asked });
}

function timeText(text: string | null): string {
  return text !== null && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) && msOf(text) >= firstMs ? text : "";
}

/** Numbers up to here would count as seconds; 1973. */
const firstMs = 100_000_000_001;

function msOf(text: string): number {
  return Date.parse(`${text}Z`);
}

const ofPeople: ReadonlySet<string> = new Set(["read", "run", "write", "admin"]);

/** Everything that the audit log can name. */
const auditedOperations: readonly string[] = [
  ...operations.filter(({ method, access }) => method !== "GET" && ofPeople.has(access)).map(({ id }) => id),
  ...Object.keys(auditTexts.consoleOperations),
].toSorted();

const summaries: ReadonlyMap<string, string> = new Map([
  ...operations.map(({ id, summary }) => [id, summary.split(/[;,(]/)[0]?.trim() ?? id] as const),
  ...Object.entries(auditTexts.consoleOperations),
]);

const byTitle = Map.groupBy(auditedOperations, operationTitle);

/** One for each text, by it: the first of the operations that have it, which stands for all of them. */
export const operationChoices: readonly (readonly [id: string, title: string])[] = [...byTitle]
  .map(([title, [id = ""]]) => [id, title] as const)
  .toSorted(([, a], [, b]) => a.localeCompare(b, "en"));

/** Those that people cannot tell apart by their texts. */
function alike(operation: string): readonly string[] {
  return byTitle.get(operationTitle(operation)) ?? [operation];
}

/** The choice that has this operation among its own; one of an older version stands for itself. */
export function choiceOf(operation: string): string {
  return alike(operation)[0] ?? operation;
}

/** What an operation does, in words; its id where an older version did it. */
export function operationTitle(id: string): string {
  return (summaries.get(id) ?? id).replace(/ monitor$/, auditTexts.check);
}
