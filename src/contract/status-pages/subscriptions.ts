import { z } from "zod";
import { exampleIds } from "../example-ids.ts";
import type { Operation } from "../operation.ts";
import { Instant, MailAddress, Uuid, UuidPathId } from "../primitives.ts";

const SubscriptionStatus = z
  .enum(["PENDING", "VERIFIED"])
  .describe("PENDING until the address is confirmed; only VERIFIED ones are written to");

/** Where a subscriber is told of incidents. */
export const SubscriberAddress = MailAddress.max(254);

/** Someone who is told about a status page's incidents. */
export const StatusPageSubscription = z
  .object({
    id: Uuid,
    type: z.enum(["EMAIL"]),
    address: z.string(),
    status: SubscriptionStatus,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "StatusPageSubscription" });
export type StatusPageSubscription = z.infer<typeof StatusPageSubscription>;

const common = { tag: "Status pages", rateLimit: "standard" } as const;
const byPage = { ...common, params: z.object({ statusPageId: UuidPathId }) } as const;
const params = { statusPageId: exampleIds.statusPage };

export const listStatusPageSubscriptions = {
  ...byPage,
  id: "listStatusPageSubscriptions",
  method: "GET",
  path: "/v1/status-pages/{statusPageId}/subscriptions",
  summary: "List the subscriptions of a status page",
  description: "The oldest first.",
  example: { params },
  access: "read",
  output: z.array(StatusPageSubscription),
  successStatus: 200,
} as const satisfies Operation;

export const createStatusPageSubscriptions = {
  ...byPage,
  id: "createStatusPageSubscriptions",
  method: "POST",
  path: "/v1/status-pages/{statusPageId}/subscriptions/bulk",
  summary: "Subscribe addresses to a status page",
  description:
    "An address that is subscribed already, in any case, is skipped and stays as it is. All of the others are subscribed, or none when the " +
    "request is refused.",
  example: { params, body: { subscriptions: [{ type: "EMAIL", config: "ops@example.com" }], autoVerify: true } },
  access: "write",
  body: z
    .object({
      subscriptions: z
        .array(z.object({ type: z.enum(["EMAIL"]), config: SubscriberAddress.describe("e-mail address") }))
        .min(1)
        .max(100),
      autoVerify: z.boolean().default(false).describe("the addresses need no confirmation: you have their owners' consent"),
    })
    .meta({ id: "StatusPageSubscriptionsCreate" }),
  output: z.object({ created: z.int(), skipped: z.int(), status: SubscriptionStatus }).meta({ id: "StatusPageSubscriptionsCreated" }),
  successStatus: 201,
} as const satisfies Operation;

export const deleteStatusPageSubscription = {
  ...common,
  id: "deleteStatusPageSubscription",
  method: "DELETE",
  path: "/v1/status-pages/{statusPageId}/subscriptions/{subscriptionId}",
  summary: "End a subscription",
  example: { params: { ...params, subscriptionId: exampleIds.statusPageSubscription } },
  access: "write",
  params: z.object({ statusPageId: UuidPathId, subscriptionId: UuidPathId }),
  successStatus: 204,
} as const satisfies Operation;

export const statusPageSubscriptionOperations = [
  listStatusPageSubscriptions,
  createStatusPageSubscriptions,
  deleteStatusPageSubscription,
] as const;
