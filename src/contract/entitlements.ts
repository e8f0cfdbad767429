import { z } from "zod";
import { AddOns } from "./accounts.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { UuidPathId } from "./primitives.ts";

/** What this installation can do, and how much of it. There are no plans to buy. */
export const Entitlement = z
  .object({
    key: z.string(),
    name: z.string(),
    description: z.string(),
    type: z.enum(["flag", "metered"]),
    enabled: z.boolean(),
    quantity: z.int().min(0).optional().describe("of a metered one: the limit"),
    requiredPlan: z.string().optional().describe("never there"),
    requiredPlanDisplayName: z.string().optional().describe("never there"),
    requiredAddon: z
      .object({ name: z.string(), displayName: z.string(), tier: z.enum(["hobby", "starter", "team"]), tierDisplayName: z.string() })
      .optional()
      .describe("never there"),
  })
  .meta({ id: "Entitlement" });
export type Entitlement = z.infer<typeof Entitlement>;

export const Entitlements = z
  .object({
    plan: z.string(),
    planDisplayName: z.string().optional(),
    addons: AddOns.optional(),
    locations: z.object({
      all: z.array(z.object({ id: z.string(), name: z.string(), available: z.boolean() })),
      maxPerCheck: z.int().min(1).optional(),
    }),
    entitlements: z.array(Entitlement),
  })
  .meta({ id: "Entitlements" });
export type Entitlements = z.infer<typeof Entitlements>;

const common = { tag: "Accounts", method: "GET", access: "read", rateLimit: "standard", successStatus: 200 } as const;

export const getOwnEntitlements = {
  ...common,
  id: "getOwnEntitlements",
  path: "/v1/accounts/me/entitlements",
  summary: "Tell what this installation can do",
  description: "Limits are those that it is configured with.",
  output: Entitlements,
  example: {},
} as const satisfies Operation;

export const getEntitlements = {
  ...getOwnEntitlements,
  id: "getEntitlements",
  path: "/v1/accounts/{accountId}/entitlements",
  params: z.object({ accountId: UuidPathId }),
  example: { params: { accountId: exampleIds.account } },
} as const satisfies Operation;

export const entitlementOperations = [getOwnEntitlements, getEntitlements] as const;
