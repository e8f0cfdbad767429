import { z } from "zod";
import { createCheck, updateCheck } from "./checks/operations.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { UuidPathId } from "./primitives.ts";
import { TestSession } from "./test-sessions.ts";

const common = {
  tag: "Test sessions",
  rateLimit: "standard",
  method: "POST",
  access: "write",
  query: z.object({
    runLocation: z.string().min(1).max(100).describe("data center location or slug name of a private location; the check runs there, once"),
  }),
  output: TestSession,
  successStatus: 201,
} as const;

const kept =
  "Its one run is a test session: no schedule, no retries, no alerts, and it counts in no list of results, status or analytics. Wait for its end with `/completion`.";

export const tryNewCheck = {
  ...common,
  id: "tryNewCheck",
  path: "/v1/checks/try",
  summary: "Run a check once without storing it",
  description: `The body is that of a creation. ${kept}`,
  example: {
    query: { runLocation: "eu-west-1" },
    body: { checkType: "URL", name: "Shop", request: { url: "https://shop.example/" } },
  },
  body: createCheck.body,
} as const satisfies Operation;

export const tryCheck = {
  ...common,
  id: "tryCheck",
  path: "/v1/checks/{id}/try",
  summary: "Run a check once as a change would make it, without storing the change",
  description: `The body is that of a change: what is omitted, and secrets that are sent as they were read, are the stored check's. ${kept}`,
  example: { params: { id: exampleIds.check }, query: { runLocation: "eu-west-1" }, body: { maxResponseTime: 2_000 } },
  params: z.object({ id: UuidPathId }),
  body: updateCheck.body,
  bodyShown: updateCheck.bodyShown,
} as const satisfies Operation;

export const trialOperations = [tryNewCheck, tryCheck] as const;
