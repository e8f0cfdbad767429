import type { MaintenanceStatus } from "#contract/maintenances.ts";
import { AppError } from "./app-error.ts";
import { timeOf } from "./maintenance.ts";

/*
 * How one maintenance goes. Its status is the further one of what the clock says and what the newest update says:
 *
 *   SCHEDULED -> IN_PROGRESS <-> VERIFYING -> COMPLETED      the clock: IN_PROGRESS at its start, COMPLETED at its end
 *   any but COMPLETED -> CANCELLED                           COMPLETED and CANCELLED are left only by deleting the update
 */

export interface UpdateRecord {
  readonly id: string;
  readonly status: MaintenanceStatus;
  readonly description: string;
  readonly notifySubscribers: boolean;
  readonly createdAtMs: number;
  readonly previousStatus: MaintenanceStatus;
  readonly previousStartsAt: string;
  readonly previousEndsAt: string;
  /** What it made of the times; null when nothing. */
  readonly dateAdjustments: { readonly startsAt?: string; readonly endsAt?: string } | null;
}

export interface MaintenanceState {
  /** As users sent or read them. */
  readonly startsAt: string;
  readonly endsAt: string;
  /** The oldest first. */
  readonly updates: readonly UpdateRecord[];
}

export interface StatusRules {
  readonly timezone: string | null;
  readonly autoStart: boolean;
  readonly autoEnd: boolean;
}

export interface NewUpdate {
  readonly id: string;
  readonly status: MaintenanceStatus;
  readonly description: string;
  readonly notifySubscribers: boolean;
}

const order: readonly MaintenanceStatus[] = ["SCHEDULED", "IN_PROGRESS", "VERIFYING", "COMPLETED", "CANCELLED"];
const maxUpdates = 200;

/** The status at a time: what the last update says, or what the clock does by the rules, whichever is further. */
export function statusOf({ startsAt, endsAt, updates }: MaintenanceState, rules: StatusRules, nowMs: number): MaintenanceStatus {
  const told = updates.at(-1)?.status ?? "SCHEDULED";
  const byClock =
    rules.autoEnd && hasCome(endsAt, rules, nowMs)
      ? "COMPLETED"
      : rules.autoStart && hasCome(startsAt, rules, nowMs)
        ? "IN_PROGRESS"
        : "SCHEDULED";
  return order.indexOf(told) > order.indexOf(byClock) ? told : byClock;
}

/** Whether an update ended it: then the clock says nothing any more. */
export function isToldOver({ updates }: Pick<MaintenanceState, "updates">): boolean {
  return isOver(updates.at(-1)?.status ?? "SCHEDULED");
}

/** No update leads out of it. */
export function isOver(status: MaintenanceStatus): boolean {
  return status === "COMPLETED" || status === "CANCELLED";
}

/** @throws {AppError} conflict when the maintenance is past such an update */
export function withUpdate(before: MaintenanceState, rules: StatusRules, update: NewUpdate, nowMs: number): MaintenanceState {
  const status = statusOf(before, rules, nowMs);
  refuseStep(status, update.status);
  if (before.updates.length >= maxUpdates) throw new AppError("conflict", `A maintenance has at most ${maxUpdates} updates`);
  const now = new Date(nowMs).toISOString();
  const begins = ["IN_PROGRESS", "VERIFYING", "COMPLETED"].includes(update.status) && !hasCome(before.startsAt, rules, nowMs);
  const ends = update.status === "COMPLETED" && !hasCome(before.endsAt, rules, nowMs);
  const dateAdjustments = begins || ends ? { ...(begins && { startsAt: now }), ...(ends && { endsAt: now }) } : null;
  const record: UpdateRecord = {
    ...update,
    createdAtMs: nowMs,
    previousStatus: status,
    previousStartsAt: before.startsAt,
    previousEndsAt: before.endsAt,
    dateAdjustments,
  };
  const { startsAt, endsAt } = { ...before, ...dateAdjustments };
  return { startsAt, endsAt, updates: [...before.updates, record] };
}

/** Without what the update did to the times too, where it is the newest; undefined when there is none of this id. */
export function withoutUpdate({ startsAt, endsAt, updates }: MaintenanceState, id: string): MaintenanceState | undefined {
  const gone = updates.find((update) => update.id === id);
  if (gone === undefined) return undefined;
  const rest = updates.filter((update) => update !== gone);
  const adjusted = gone === updates.at(-1) ? gone.dateAdjustments : null;
  return {
    // Moved by hand since: that counts.
    startsAt: adjusted?.startsAt === startsAt ? gone.previousStartsAt : startsAt,
    endsAt: adjusted?.endsAt === endsAt ? gone.previousEndsAt : endsAt,
    updates: rest,
  };
}

/**
 * Another text, and where given another status, as if it had been told at first; undefined when there is none of this id.
 *
 * @throws {AppError} conflict as `withUpdate`
 */
export function withChangedUpdate(
  before: MaintenanceState,
  rules: StatusRules,
  id: string,
  change: { readonly status?: MaintenanceStatus | undefined; readonly description: string },
): MaintenanceState | undefined {
  const old = before.updates.find((update) => update.id === id);
  if (old === undefined) return undefined;
  const changed = { ...old, description: change.description, status: change.status ?? old.status };
  const isNewest = old === before.updates.at(-1);
  if (!isNewest || changed.status === old.status)
    return { ...before, updates: before.updates.map((update) => (update === old ? changed : update)) };
  const { description, notifySubscribers, status } = changed;
  const without = withoutUpdate(before, id) ?? before;
  return withUpdate(without, rules, { id, description, notifySubscribers, status }, old.createdAtMs);
}

function refuseStep(from: MaintenanceStatus, to: MaintenanceStatus): void {
  if (isOver(from) && to !== from)
    throw new AppError("conflict", `The maintenance is ${from}; "status" can only be ${from} again, received ${to}`);
  if (to === "SCHEDULED" && from !== "SCHEDULED")
    throw new AppError("conflict", `The maintenance is ${from}; "status" cannot become SCHEDULED again, move its start instead`);
}

function hasCome(time: string, { timezone }: StatusRules, nowMs: number): boolean {
  const ms = timeOf(time, timezone);
  return ms !== null && ms <= nowMs;
}
