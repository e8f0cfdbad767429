import type { SetupContext } from "../accounts/setup.ts";
import type { AccountRow, CheckRow } from "../storage/storage.ts";
import { createCheck } from "./checks.ts";

/** Makes a check without a request, for the demo: `body` is what `POST /v1/checks` takes, parsed. @throws {AppError} invalid_input */
export function createCheckFor(
  { storage, hashOf, nowMs }: SetupContext,
  account: AccountRow,
  body: Parameters<typeof createCheck>[2],
): Promise<CheckRow> {
  const sealing = { unseal: () => null }; // it has no token
  return createCheck({ ...storage, hashOf, sealing, nowMs }, account.id, body);
}
