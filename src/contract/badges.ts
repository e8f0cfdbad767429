import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { QueryBoolean, UuidPathId } from "./primitives.ts";

export const badgeStyles = ["flat", "plastic", "flat-square", "for-the-badge", "social"] as const;
export const badgeThemes = ["light", "dark", "default"] as const;

/** How a badge looks. */
export const BadgeQuery = z.object({
  style: z.enum(badgeStyles).default("flat"),
  theme: z.enum(badgeThemes).default("default").describe("colours of the left half"),
  responseTime: QueryBoolean.default(false).describe("with the average response time of the last 24 hours"),
  label: z.string().min(1).max(60).optional().describe("text of the left half, instead of the name"),
});
export type BadgeQuery = z.output<typeof BadgeQuery>;

const common = {
  tag: "Badges",
  method: "GET",
  access: "public",
  rateLimit: "standard",
  successStatus: 200,
  query: BadgeQuery,
  text: "image/svg+xml",
  maxAgeSeconds: 30,
} as const;

export const getCheckBadge = {
  ...common,
  id: "getCheckBadge",
  path: "/v1/badges/checks/{checkId}",
  summary: "Draw the status of a check",
  description: `An SVG for pages that anybody may see: it shows the check's name and whether it is passing, degraded or failing, and nothing else
of the check. Checks that are deactivated look like checks that do not exist. At most half a minute old.`,
  params: z.object({ checkId: UuidPathId }),
  example: { params: { checkId: exampleIds.check }, query: { style: "flat-square" } },
} as const satisfies Operation;

export const getGroupBadge = {
  ...common,
  id: "getGroupBadge",
  path: "/v1/badges/groups/{groupId}",
  summary: "Draw the status of a check group",
  description: `As the badge of a check. The worst status of the group's activated checks counts. Numbers of groups can be guessed, so the name
of the group is not shown: give a \`label\`.`,
  params: z.object({ groupId: z.coerce.number().int().min(0) }),
  example: { params: { groupId: exampleIds.group }, query: { label: "Shop" } },
} as const satisfies Operation;

export const badgeOperations = [getCheckBadge, getGroupBadge] as const;
