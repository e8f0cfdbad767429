import {
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  getMaintenanceWindow,
  listMaintenanceWindows,
  type MaintenanceWindow,
  type MaintenanceWindowCreate,
  type TimeComparison,
  updateMaintenanceWindow,
} from "#contract/maintenance-windows.ts";
import { noProjectBindings } from "#contract/project-bindings.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import { type MaintenanceSchedule, planOf, timeOf } from "#domain/maintenance.ts";
import { type Handler, handler } from "../http/handler.ts";
import { findDocument, found } from "../kinds/find-document.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import { type StoredWindow, windowKind } from "../kinds/maintenance-window.ts";
import { removeDocument } from "../kinds/remove-document.ts";
import type { DocumentRow, DocumentStore } from "../storage/storage.ts";

export interface MaintenanceWindowDeps {
  readonly documents: Pick<DocumentStore, "create" | "list" | "find" | "byUuids" | "update" | "remove">;
  readonly nowMs: () => number;
}

export function maintenanceWindowHandlers({ documents, nowMs }: MaintenanceWindowDeps): readonly Handler[] {
  return [
    handler(listMaintenanceWindows, async ({ query }, { caller }) => {
      const { page, limit, startsAt, endsAt } = query;
      if (startsAt === undefined && endsAt === undefined) {
        const { items, total } = await documents.list<StoredWindow>(caller.account.id, windowKind, { page, limit });
        return { items: items.map(view), total };
      }
      const { items } = await documents.list<StoredWindow>(caller.account.id, windowKind);
      const matching = items.filter(({ definition }) => matches(definition, "startsAt", startsAt) && matches(definition, "endsAt", endsAt));
      return { items: matching.slice((page - 1) * limit, page * limit).map(view), total: matching.length };
    }),
    handler(createMaintenanceWindow, async ({ body }, { caller }) => {
      const now = nowMs();
      const definition = { ...storedWindow(body), plan: 0, plannedAtMs: now };
      await refuseUnknownPages(documents, caller.account.id, definition);
      return view(
        await documents.create({ accountId: caller.account.id, kind: windowKind, definition, open: isShown(definition), nowMs: now }),
      );
    }),
    handler(getMaintenanceWindow, async ({ params }, { caller }) =>
      view(await findDocument<StoredWindow>(documents, caller.account.id, windowKind, params)),
    ),
    handler(updateMaintenanceWindow, async ({ params, body }, { caller }) => {
      const now = nowMs();
      await findDocument(documents, caller.account.id, windowKind, params);
      await refuseUnknownPages(documents, caller.account.id, body);
      const change = ({ definition: before }: DocumentRow<StoredWindow>) => {
        const { name = before.name, startsAt = before.startsAt, endsAt = before.endsAt } = body;
        const definition = {
          ...storedWindow({ ...body, name, startsAt, endsAt }),
          ...planAfter(before, { ...body, startsAt, endsAt }, now),
        };
        return { definition, open: isShown(definition) };
      };
      return view(found(await documents.update(caller.account.id, windowKind, params, change, now), windowKind, params));
    }),
    handler(deleteMaintenanceWindow, ({ params }, { caller }) => removeDocument(documents, caller.account.id, windowKind, params)),
  ];
}

function isShown({ statusPageVisibility }: StoredWindow): boolean {
  return statusPageVisibility.enabled;
}

type Replacement = Omit<MaintenanceWindowCreate, "name">;

/** @throws {AppError} invalid_input for times that do not fit together */
function storedWindow(body: MaintenanceWindowCreate): Omit<StoredWindow, "plan" | "plannedAtMs"> {
  const { name, tags, description, pauseAllChecks, silenceAlertsTags, silenceAllAlerts, statusPageVisibility } = body;
  const schedule = scheduleOf(body);
  planOf(schedule);
  return {
    name,
    tags,
    description,
    pauseAllChecks,
    silenceAlertsTags,
    silenceAllAlerts,
    statusPageVisibility: { ...statusPageVisibility, severity: statusPageVisibility.severity ?? null },
    ...schedule,
  };
}

function scheduleOf({ startsAt, endsAt, repeatInterval, repeatUnit, repeatEndsAt, timezone }: Replacement): MaintenanceSchedule {
  return {
    startsAt,
    endsAt,
    repeatInterval,
    repeatUnit: repeatUnit || null,
    repeatEndsAt: repeatEndsAt ?? null,
    timezone: timezone ?? null,
  };
}

/** As many as their ids can tell apart. */
const maxPlans = 2 ** 16;

/** The only maintenance of a window that does not repeat stays the same when its window moves; repetitions are planned anew. */
function planAfter(before: StoredWindow, body: Replacement, nowMs: number): Pick<StoredWindow, "plan" | "plannedAtMs"> {
  const after = scheduleOf(body);
  const keys = Object.keys(after) as (keyof MaintenanceSchedule)[];
  const isSame = keys.every((key) => after[key] === before[key]);
  const repeats = after.repeatInterval !== null || before.repeatInterval !== null;
  return isSame || !repeats
    ? { plan: before.plan, plannedAtMs: before.plannedAtMs }
    : { plan: (before.plan + 1) % maxPlans, plannedAtMs: nowMs };
}

/** @throws {AppError} invalid_input naming the entry */
async function refuseUnknownPages(
  documents: Pick<DocumentStore, "byUuids">,
  accountId: number,
  { statusPageVisibility: { statusPageIds, serviceIds } }: Pick<Replacement, "statusPageVisibility">,
): Promise<void> {
  const problemsOf = async (field: string, what: string, kind: "status-page" | "status-page-service", ids: readonly string[]) => {
    const wanted = ids.map((id) => id.toLowerCase());
    const known = new Set((await documents.byUuids(accountId, kind, [...new Set(wanted)])).map(({ uuid }) => uuid));
    return wanted.flatMap((id, index): InputProblem[] =>
      known.has(id)
        ? []
        : [
            {
              path: `statusPageVisibility.${field}[${index}]`,
              message: `names no ${what} of this account; received ${JSON.stringify(id)}`,
            },
          ],
    );
  };
  const problems = [
    ...(await problemsOf("statusPageIds", "status page", "status-page", statusPageIds)),
    ...(await problemsOf("serviceIds", "service", "status-page-service", serviceIds)),
  ];
  if (problems.length > 0) throw invalidInput(problems);
}

function matches(window: StoredWindow, field: "startsAt" | "endsAt", wanted: TimeComparison | undefined): boolean {
  if (wanted === undefined) return true;
  const at = timeOf(window[field], window.timezone) ?? Number.NaN;
  const { gt, gte, lt, lte } = wanted;
  return (
    (gt === undefined || at > gt) && (gte === undefined || at >= gte) && (lt === undefined || at < lt) && (lte === undefined || at <= lte)
  );
}

function view({ id, definition, createdAtMs, updatedAtMs }: DocumentRow<StoredWindow>): MaintenanceWindow {
  const { plan: _, plannedAtMs: __, tags, silenceAlertsTags, ...shown } = definition;
  return {
    id,
    ...shown,
    tags: [...tags],
    silenceAlertsTags: [...silenceAlertsTags],
    created_at: instant(createdAtMs),
    updated_at: instantOrNull(updatedAtMs),
    projectBindings: noProjectBindings,
  };
}
