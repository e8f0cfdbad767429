import { randomUUID } from "node:crypto";
import {
  changeMaintenanceUpdate,
  createMaintenanceUpdate,
  deleteMaintenance,
  deleteMaintenanceUpdate,
  getMaintenance,
  listMaintenances,
  type Maintenance,
  type MaintenanceUpdate,
  moveMaintenance,
} from "#contract/maintenances.ts";
import { AppError } from "#domain/app-error.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { timeOf } from "#domain/maintenance.ts";
import {
  isToldOver,
  type MaintenanceState,
  statusOf,
  type UpdateRecord,
  withChangedUpdate,
  withoutUpdate,
  withUpdate,
} from "#domain/maintenance-updates.ts";
import { type Handler, handler } from "../http/handler.ts";
import { instant } from "../kinds/instants.ts";
import { type KnownMaintenance, listed, type MaintenanceStoreDeps, Maintenances, rulesOf } from "../kinds/maintenances-of-windows.ts";
import { notFound } from "../kinds/not-found.ts";

/** The single occurrences of maintenance windows. */
export function maintenanceHandlers(deps: MaintenanceStoreDeps): readonly Handler[] {
  const { nowMs } = deps;
  const maintenances = new Maintenances(deps);
  return [
    handler(listMaintenances, async ({ params: { id }, query: { page, limit } }, { caller }) => {
      const all = listed(await maintenances.ofWindow(caller.account.id, id), nowMs());
      return { items: all.slice((page - 1) * limit, page * limit).map((one) => view(one, nowMs())), total: all.length };
    }),
    handler(getMaintenance, async ({ params }, { caller }) => view(await maintenances.find(caller.account.id, params), nowMs())),
    handler(moveMaintenance, async ({ params, body: { startsAt, endsAt } }, { caller }) => {
      const moved = await maintenances.change(caller.account.id, params, ({ state, window }) =>
        movedState(state, { startsAt: startsAt ?? state.startsAt, endsAt: endsAt ?? state.endsAt }, window.definition.timezone),
      );
      return view(moved, nowMs());
    }),
    handler(deleteMaintenance, async ({ params }, { caller }) => {
      await maintenances.change(caller.account.id, params, () => null);
      return undefined;
    }),
    ...updateHandlers(maintenances, nowMs),
  ];
}

function updateHandlers(maintenances: Maintenances, nowMs: () => number): readonly Handler[] {
  return [
    handler(createMaintenanceUpdate, async ({ params, body }, { caller }) => {
      const id = randomUUID();
      const after = await maintenances.change(caller.account.id, params, ({ state, window }) =>
        withUpdate(state, rulesOf(window), { id, ...body }, nowMs()),
      );
      return updateView(after, id);
    }),
    handler(changeMaintenanceUpdate, async ({ params, body }, { caller }) => {
      const id = params.updateId.toLowerCase();
      const after = await maintenances.change(caller.account.id, params, ({ state, window }) =>
        foundUpdate(withChangedUpdate(state, rulesOf(window), id, body), id),
      );
      return updateView(after, id);
    }),
    handler(deleteMaintenanceUpdate, async ({ params }, { caller }) => {
      const id = params.updateId.toLowerCase();
      await maintenances.change(caller.account.id, params, ({ state }) => foundUpdate(withoutUpdate(state, id), id));
      return undefined;
    }),
  ];
}

function foundUpdate(state: MaintenanceState | undefined, id: string): MaintenanceState {
  if (state === undefined) throw notFound("maintenance update", id);
  return state;
}

/** @throws {AppError} conflict when an update ended it, invalid_input for times in the wrong order */
function movedState(
  state: MaintenanceState,
  to: { readonly startsAt: string; readonly endsAt: string },
  timezone: string | null,
): MaintenanceState {
  if (isToldOver(state)) throw new AppError("conflict", "The maintenance is over; delete the update that ended it to move it");
  const [startMs, endMs] = [timeOf(to.startsAt, timezone), timeOf(to.endsAt, timezone)];
  if (startMs === null) throw invalidInput([{ path: "startsAt", message: "must be a time from 1970 on" }]);
  if (endMs === null) throw invalidInput([{ path: "endsAt", message: "must be a time from 1970 on" }]);
  if (endMs <= startMs) throw invalidInput([{ path: "endsAt", message: `must be after startsAt (${to.startsAt}); received ${to.endsAt}` }]);
  return { ...state, ...to };
}

function view(maintenance: KnownMaintenance, nowMs: number): Maintenance {
  const { id, window, state, updatedAtMs } = maintenance;
  return {
    id,
    maintenanceWindowId: window.id,
    startsAt: state.startsAt,
    endsAt: state.endsAt,
    status: statusOf(state, rulesOf(window), nowMs),
    created_at: instant(window.createdAtMs),
    updated_at: instant(updatedAtMs),
    updates: state.updates.map((update) => recordView(maintenance, update)).toReversed(),
  };
}

function updateView(maintenance: KnownMaintenance, id: string): MaintenanceUpdate {
  const update = maintenance.state.updates.find((one) => one.id === id);
  if (update === undefined) throw new Error("an update that was just written is not there");
  return recordView(maintenance, update);
}

function recordView({ id: maintenanceId, window }: KnownMaintenance, { createdAtMs, ...update }: UpdateRecord): MaintenanceUpdate {
  return { ...update, maintenanceWindowId: window.id, maintenanceId, created_at: instant(createdAtMs) };
}
