import { notFound } from "../kinds/not-found.ts";
import type { CheckRow, CheckStore } from "../storage/storage.ts";

/** The account's check of any type by the id of a path. @throws {AppError} not_found */
export async function findCheck(checks: Pick<CheckStore, "byUuid">, accountId: number, id: string): Promise<CheckRow> {
  const check = await checks.byUuid(accountId, id.toLowerCase());
  if (check === undefined) throw notFound("check", id);
  return check;
}
