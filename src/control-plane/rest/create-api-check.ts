import type { z } from "zod";
import { apiCheck } from "#contract/checks/api.ts";
import type { SetupContext } from "../accounts/setup.ts";
import type { AccountRow, CheckRow } from "../storage/storage.ts";
import { createCheck } from "./checks.ts";

/** Makes an API check, for the demo: `body` is what `POST /v1/checks/api` takes. @throws {AppError} invalid_input */
export function createApiCheckFor(
  { storage, hashOf, nowMs }: SetupContext,
  account: AccountRow,
  body: z.input<typeof apiCheck.create>,
): Promise<CheckRow> {
  const sealing = { unseal: () => null }; // it has no token
  return createCheck({ ...storage, hashOf, sealing, nowMs }, account.id, apiCheck.create.parse(body));
}
