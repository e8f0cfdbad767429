import { hasCode } from "#domain/app-error.ts";
import { lastStarted, type MaintenancePlan, occurrence, planOf, timeOf } from "#domain/maintenance.ts";
import type { MaintenanceRecord, MaintenanceTimes } from "#domain/maintenance-effects.ts";
import { isOver, type MaintenanceState, type StatusRules, statusOf } from "#domain/maintenance-updates.ts";
import type { DocumentRow, DocumentStore } from "../storage/storage.ts";
import { findDocument } from "./find-document.ts";
import { maintenanceNumbersOf, maintenanceUuid } from "./ids.ts";
import { instant } from "./instants.ts";
import { type StoredWindow, windowKind } from "./maintenance-window.ts";
import { notFound } from "./not-found.ts";

export interface MaintenanceStoreDeps {
  readonly documents: Pick<DocumentStore, "create" | "list" | "find" | "update">;
  readonly nowMs: () => number;
}

type WindowRow = DocumentRow<StoredWindow>;

export interface KnownMaintenance {
  readonly id: string;
  readonly window: WindowRow;
  readonly planned: MaintenanceTimes;
  readonly state: MaintenanceState;
  readonly updatedAtMs: number;
}

interface Address {
  /** Of the window. */
  readonly id: number;
  readonly maintenanceId: string;
}

/** The maintenances of a window, and those of them that were changed. */
export interface WindowMaintenances {
  readonly window: WindowRow;
  readonly stored: readonly DocumentRow<MaintenanceRecord>[];
}

const kind = "maintenance";

/** Finds and changes single maintenances; each is stored from its first change on. */
export class Maintenances {
  readonly #documents: MaintenanceStoreDeps["documents"];
  readonly #nowMs: () => number;

  constructor({ documents, nowMs }: MaintenanceStoreDeps) {
    this.#documents = documents;
    this.#nowMs = nowMs;
  }

  /** @throws {AppError} not_found */
  async ofWindow(accountId: number, windowId: number): Promise<WindowMaintenances> {
    const window = await findDocument<StoredWindow>(this.#documents, accountId, windowKind, { id: windowId });
    const { items } = await this.#documents.list<MaintenanceRecord>(accountId, kind, { parentId: window.id });
    return { window, stored: items };
  }

  /** @throws {AppError} not_found */
  async find(accountId: number, address: Address): Promise<KnownMaintenance> {
    const window = await findDocument<StoredWindow>(this.#documents, accountId, windowKind, address);
    const uuid = address.maintenanceId.toLowerCase();
    const stored = await this.#documents.find<MaintenanceRecord>(accountId, kind, { uuid });
    const found = stored?.parentId === window.id ? known(window, stored) : planned(window, uuid);
    if (found === undefined) throw notFound("maintenance", address.maintenanceId);
    return found;
  }

  /**
   * @param change null deletes it; runs again when another change came first
   * @throws {AppError} not_found, and what `change` throws
   */
  async change(
    accountId: number,
    address: Address,
    change: (before: KnownMaintenance) => MaintenanceState | null,
  ): Promise<KnownMaintenance> {
    const first = await this.find(accountId, address);
    const { id, window } = first;
    const nowMs = this.#nowMs();
    const definitionAfter = (before: KnownMaintenance, definition: MaintenanceRecord): MaintenanceRecord => {
      const { planned: by } = before;
      const state = change(before);
      if (state === null) return { ...definition, planned: by, isDeleted: true };
      return { ...definition, planned: by, updates: state.updates, moved: movedTimes(state, by) };
    };
    const update = () =>
      this.#documents.update<MaintenanceRecord>(
        accountId,
        kind,
        { uuid: id },
        (row) => {
          const before = known(window, row);
          if (before === undefined) throw notFound("maintenance", id);
          return { definition: definitionAfter(before, row.definition) };
        },
        nowMs,
      );
    const create = () => {
      const definition = definitionAfter(first, newlyStored(first));
      const document = { accountId, kind, uuid: id, parentId: window.id, definition, nowMs } as const;
      return this.#documents.create<MaintenanceRecord>(document).catch(unlessTaken);
    };
    const changed = (await update()) ?? (await create()) ?? (await update());
    if (changed === undefined) throw notFound("maintenance", id);
    const { isDeleted } = changed.definition;
    return isDeleted ? first : (known(window, changed) ?? first);
  }
}

const listedComing = 25;
const listedOver = 100;

/** Those that go on or come, the next one first, then those that are over, the latest first. */
export function listed({ window, stored }: WindowMaintenances, nowMs: number): readonly KnownMaintenance[] {
  const plan = planOf(window.definition);
  const changed = new Set(stored.map(({ uuid }) => uuid));
  const last = lastStarted(plan, nowMs);
  const indexes = Array.from({ length: listedOver + listedComing + 1 }, (_, place) => last - listedOver + place);
  const unchanged = indexes.flatMap((index) => {
    const one = index < 0 ? undefined : plannedAt(window, plan, index);
    return one === undefined || changed.has(one.id) ? [] : [one];
  });
  const all = [...stored.flatMap((row) => known(window, row) ?? []), ...unchanged].map((maintenance) => ({
    maintenance,
    startMs: timeOf(maintenance.state.startsAt, window.definition.timezone) ?? 0,
    over: isOver(statusOf(maintenance.state, rulesOf(window), nowMs)),
  }));
  const inOrder = all.toSorted((a, b) => Number(a.over) - Number(b.over) || (a.over ? b.startMs - a.startMs : a.startMs - b.startMs));
  return inOrder.map(({ maintenance }) => maintenance);
}

/** What the clock may do to maintenances of a window. */
export function rulesOf({ definition: { timezone, statusPageVisibility } }: WindowRow): StatusRules {
  const { autoStart, autoEnd } = statusPageVisibility;
  return { timezone, autoStart, autoEnd };
}

/** A stored one; undefined when it was deleted, or when its window was planned anew before it began. */
function known(
  window: WindowRow,
  { uuid, definition, createdAtMs, updatedAtMs }: DocumentRow<MaintenanceRecord>,
): KnownMaintenance | undefined {
  const { plan, index, moved, updates, isDeleted } = definition;
  if (isDeleted) return undefined;
  const current = plan === window.definition.plan ? plannedAt(window, planOf(window.definition), index) : undefined;
  const by = current?.planned ?? definition.planned;
  const { startsAt, endsAt } = { ...by, ...moved };
  const began = (timeOf(startsAt, window.definition.timezone) ?? 0) <= window.definition.plannedAtMs;
  if (plan !== window.definition.plan && !began) return undefined;
  return { id: uuid, window, planned: by, state: { startsAt, endsAt, updates }, updatedAtMs: updatedAtMs ?? createdAtMs };
}

/** One that nobody changed, by its id. */
function planned(window: WindowRow, uuid: string): KnownMaintenance | undefined {
  const numbers = maintenanceNumbersOf(uuid);
  if (numbers?.windowId !== window.id || numbers.plan !== window.definition.plan) return undefined;
  return plannedAt(window, planOf(window.definition), numbers.index);
}

function plannedAt(window: WindowRow, plan: MaintenancePlan, index: number): KnownMaintenance | undefined {
  const one = occurrence(plan, index);
  if (one === undefined) return undefined;
  const [startsAt, endsAt] = [instant(one.startsAtMs), instant(one.endsAtMs)];
  return {
    id: maintenanceUuid({ windowId: window.id, plan: window.definition.plan, index }),
    window,
    planned: { startsAt, endsAt },
    state: { startsAt, endsAt, updates: [] },
    updatedAtMs: window.updatedAtMs ?? window.createdAtMs,
  };
}

function newlyStored({ id, window, planned: by }: KnownMaintenance): MaintenanceRecord {
  const index = maintenanceNumbersOf(id)?.index ?? 0;
  return { plan: window.definition.plan, index, planned: by, moved: {}, updates: [], isDeleted: false };
}

function movedTimes({ startsAt, endsAt }: MaintenanceTimes, by: MaintenanceTimes): Partial<MaintenanceTimes> {
  return { ...(startsAt !== by.startsAt && { startsAt }), ...(endsAt !== by.endsAt && { endsAt }) };
}

/** Somebody else changed it first; then it is there now. */
function unlessTaken(error: unknown): undefined {
  if (!hasCode(error, "conflict")) throw error;
}
