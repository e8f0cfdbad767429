import { z } from "zod";
import type { Operation } from "./operation.ts";
import { PathId } from "./primitives.ts";

const AddOn = z.object({ tier: z.enum(["hobby", "starter", "team"]), tierDisplayName: z.string() });

/** Spec 2.17. */
export const Account = z
  .object({
    id: z.string(),
    name: z.string(),
    runtimeId: z.string().describe("runtime of checks that name none"),
    plan: z.string(),
    planDisplayName: z.string(),
    addons: z.object({ communicate: AddOn.optional(), resolve: AddOn.optional() }),
    settings: z.record(z.string(), z.unknown()),
    alertSettings: z.record(z.string(), z.unknown()).describe("for checks that use the account's alert settings"),
    features: z.array(z.string()),
  })
  .meta({ id: "Account" });
export type Account = z.infer<typeof Account>;

const common = { tag: "Accounts", method: "GET", access: "read", rateLimit: "standard", successStatus: 200 } as const;

export const listAccounts = {
  ...common,
  id: "listAccounts",
  path: "/v1/accounts",
  summary: "List the accounts that the key may act for",
  output: z.array(Account),
} as const satisfies Operation;

export const getOwnAccount = {
  ...common,
  id: "getOwnAccount",
  path: "/v1/accounts/me",
  summary: "Read the account that the request is made for",
  output: Account,
} as const satisfies Operation;

export const getAccount = {
  ...common,
  id: "getAccount",
  path: "/v1/accounts/{accountId}",
  summary: "Read an account",
  params: z.object({ accountId: PathId }),
  output: Account,
} as const satisfies Operation;

export const accountOperations = [listAccounts, getOwnAccount, getAccount] as const;
