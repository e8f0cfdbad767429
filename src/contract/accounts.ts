import { z } from "zod";
import { AlertSettings, AlertSettingsUpdate } from "./checks/alert-settings.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { PathId } from "./primitives.ts";
import { RuntimeId } from "./runtime-catalog.ts";

const AddOn = z.object({ tier: z.enum(["hobby", "starter", "team"]), tierDisplayName: z.string() });

export const AddOns = z.object({ communicate: AddOn.optional(), resolve: AddOn.optional() });

/** Ours; the contract leaves them open. */
export const AccountSettings = z
  .object({
    timeZone: z.string().max(64).describe("IANA name; weeks, months and days of analytics begin at its midnight"),
    secondFactor: z
      .enum(["optional", "required"])
      .describe("whether members who sign in to the console with a password must have a second factor"),
    signIn: z
      .enum(["any", "provider"])
      .describe("`provider`: only those who sign in with the OpenID Connect provider see this account in the console; API keys go on"),
    rootCauses: z
      .enum(["alerts", "asked"])
      .describe("when failures are analysed: `alerts`: by itself when an alert opens, and when somebody asks; `asked`: only then"),
    rootCauseModel: z
      .enum(["off", "on"])
      .describe(
        "`on`: analyses also ask the model of whoever operates the installation, where there is one; facts of failures leave for its endpoint",
      ),
    agenticModel: z
      .enum(["off", "on"])
      .describe(
        "`off`: agentic checks ask no model; those whose last steps are known still replay them, and the others end as an error of the agent",
      ),
  })
  .meta({ id: "AccountSettings" });

/** Spec 2.17. */
export const Account = z
  .object({
    id: z.string(),
    name: z.string(),
    runtimeId: z.string().describe("runtime of checks that name none"),
    plan: z.string(),
    planDisplayName: z.string(),
    addons: AddOns,
    settings: AccountSettings,
    alertSettings: AlertSettings.describe("for checks that use the account's alert settings"),
    features: z.array(z.string()),
  })
  .meta({ id: "Account" });
export type Account = z.infer<typeof Account>;

/** What is omitted, at any depth, keeps its value. */
export const AccountUpdate = z
  .object({
    name: z.string().min(1).max(255),
    runtimeId: RuntimeId,
    settings: AccountSettings.partial(),
    alertSettings: AlertSettingsUpdate,
  })
  .partial()
  .meta({ id: "AccountUpdate" });
export type AccountUpdate = z.output<typeof AccountUpdate>;

export const AccountCreate = z.object({ name: z.string().min(1).max(255) }).meta({ id: "AccountCreate" });

/** With a key that only this answer shows. */
export const CreatedAccount = Account.extend({
  rawKey: z.string().describe("OWNER of the new account; whoever signs in with it invites the members"),
}).meta({ id: "CreatedAccount" });

const common = { tag: "Accounts", method: "GET", access: "read", rateLimit: "standard", successStatus: 200 } as const;

export const listAccounts = {
  ...common,
  id: "listAccounts",
  path: "/v1/accounts",
  summary: "List the accounts that the key may act for",
  description: "The key's own account, alone: a key never speaks for another.",
  output: z.array(Account),
  example: {},
} as const satisfies Operation;

export const getOwnAccount = {
  ...common,
  id: "getOwnAccount",
  path: "/v1/accounts/me",
  summary: "Read the account that the request is made for",
  output: Account,
  example: {},
} as const satisfies Operation;

export const getAccount = {
  ...common,
  id: "getAccount",
  path: "/v1/accounts/{accountId}",
  summary: "Read an account",
  description: "It must be the account that the request is made for.",
  params: z.object({ accountId: PathId }),
  example: { params: { accountId: exampleIds.account } },
  output: Account,
} as const satisfies Operation;

export const updateOwnAccount = {
  ...common,
  id: "updateOwnAccount",
  method: "PATCH",
  access: "admin",
  path: "/v1/accounts/me",
  summary: "Change the account that the request is made for",
  description: "What is omitted, at any depth, keeps its value. Other requests may see the account as it was for 5 seconds.",
  body: AccountUpdate,
  output: Account,
  example: { body: { settings: { timeZone: "Europe/Berlin" }, alertSettings: { reminders: { amount: 2, interval: 10 } } } },
} as const satisfies Operation;

export const createAccount = {
  ...common,
  id: "createAccount",
  method: "POST",
  access: "admin",
  path: "/v1/accounts",
  summary: "Make another account",
  description:
    "For OWNERs of the first account, who operate the installation, by keys without limits. The new account shares nothing with the others.",
  body: AccountCreate,
  output: CreatedAccount,
  example: { body: { name: "Shop" } },
  successStatus: 201,
} as const satisfies Operation;

export const deleteAccount = {
  ...common,
  id: "deleteAccount",
  method: "DELETE",
  access: "admin",
  path: "/v1/accounts/{accountId}",
  summary: "Delete an account and all that is its",
  description:
    "For OWNERs of the account, and of the first account, which itself stays. Keys, sign-ins, agents, pages, triggers and pings of the account stop within 5 seconds; what is stored of it " +
    "goes over the next minutes, and people who are members of no other account with it.",
  params: z.object({ accountId: PathId }),
  example: { params: { accountId: exampleIds.otherAccount } },
  successStatus: 204,
} as const satisfies Operation;

/* The same for the public command line, which asks at addresses of its own. */

export const listAccountsOfClient = {
  ...listAccounts,
  id: "listAccountsOfClient",
  path: "/next/accounts",
} as const satisfies Operation;

export const getAccountOfClient = {
  ...getAccount,
  id: "getAccountOfClient",
  path: "/next/accounts/{accountId}",
} as const satisfies Operation;

export const getOwnUser = {
  ...common,
  id: "getOwnUser",
  path: "/next/users/me",
  summary: "Tell who calls",
  description: "A person who is signed in, or the key.",
  output: z.object({ id: z.string(), name: z.string(), nickname: z.string().nullable() }).meta({ id: "OwnUser" }),
  example: {},
} as const satisfies Operation;

/** Where the public command line looks after a sign-in in a browser. */
export const getOwnUserAtLogin = { ...getOwnUser, id: "getOwnUserAtLogin", path: "/users/me" } as const satisfies Operation;

export const accountOperations = [
  listAccounts,
  createAccount,
  getOwnAccount,
  getAccount,
  updateOwnAccount,
  deleteAccount,
  listAccountsOfClient,
  getAccountOfClient,
  getOwnUser,
  getOwnUserAtLogin,
] as const;
