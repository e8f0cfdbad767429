import type { MaintenanceWindowCreate, TimeComparison } from "#contract/maintenance-windows.ts";
import { noProjectBindings } from "#contract/project-bindings.ts";
import { type MaintenanceSchedule, planOf, timeOf } from "#domain/maintenance.ts";
import type { AnnouncedWindow } from "#domain/maintenance-news.ts";
import { documentKind } from "./document-kind.ts";
import { instant, instantOrNull } from "./instants.ts";

/** What is stored of a window; open where status pages show it. */
export type StoredWindow = AnnouncedWindow;

export const windowKind = "maintenance-window";

export const maintenanceWindowKind = documentKind<StoredWindow>()({
  kind: windowKind,
  filter: ({ startsAt, endsAt }) =>
    startsAt === undefined && endsAt === undefined
      ? undefined
      : (window) => matches(window, "startsAt", startsAt) && matches(window, "endsAt", endsAt),
  create: (body, { nowMs }) => shownWhereAsked({ ...storedWindow(body), plan: 0, plannedAtMs: nowMs }),
  update(body, { definition: before }, { nowMs }) {
    const { name = before.name, startsAt = before.startsAt, endsAt = before.endsAt } = body;
    const whole = { ...body, name, startsAt, endsAt };
    return shownWhereAsked({ ...storedWindow(whole), ...planAfter(before, whole, nowMs) });
  },
  view({ id, definition, createdAtMs, updatedAtMs }) {
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
  },
});

function shownWhereAsked(definition: StoredWindow) {
  return { definition, open: definition.statusPageVisibility.enabled };
}

type Schedule = Omit<MaintenanceWindowCreate, "name">;

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

function scheduleOf({ startsAt, endsAt, repeatInterval, repeatUnit, repeatEndsAt, timezone }: Schedule): MaintenanceSchedule {
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
function planAfter(before: StoredWindow, body: Schedule, nowMs: number): Pick<StoredWindow, "plan" | "plannedAtMs"> {
  const after = scheduleOf(body);
  const keys = Object.keys(after) as (keyof MaintenanceSchedule)[];
  const isSame = keys.every((key) => after[key] === before[key]);
  const repeats = after.repeatInterval !== null || before.repeatInterval !== null;
  return isSame || !repeats
    ? { plan: before.plan, plannedAtMs: before.plannedAtMs }
    : { plan: (before.plan + 1) % maxPlans, plannedAtMs: nowMs };
}

function matches(window: StoredWindow, field: "startsAt" | "endsAt", wanted: TimeComparison | undefined): boolean {
  if (wanted === undefined) return true;
  const at = timeOf(window[field], window.timezone) ?? Number.NaN;
  const { gt, gte, lt, lte } = wanted;
  return (
    (gt === undefined || at > gt) && (gte === undefined || at >= gte) && (lt === undefined || at < lt) && (lte === undefined || at <= lte)
  );
}
