import { getMaintenanceWindow, type MaintenanceWindow } from "#contract/maintenance-windows.ts";
import { AppError } from "#domain/app-error.ts";
import type { Ask } from "../ask.ts";
import type { Visit } from "../visit.ts";

/** The window that the address names. @throws {AppError} not_found also for windows of other accounts */
export function windowOf(ask: Ask, visit: Visit): Promise<MaintenanceWindow> {
  return ask(visit, getMaintenanceWindow, { params: { id: idOf(visit) } });
}

/** Of the window that the address names. @throws {AppError} not_found for what is no id */
export function idOf({ request: { params } }: Visit): string {
  const id = params["id"] ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError("not_found", "There is no such maintenance window.");
  return id;
}
