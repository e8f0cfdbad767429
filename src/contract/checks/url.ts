import { z } from "zod";
import { withDefaults } from "../with-defaults.ts";
import { assertionSchema, maxAssertions } from "./assertion.ts";
import { checkSchemas, responseTimeLimits, timedSettings } from "./check-schemas.ts";
import { type CheckTraits, probeTraits } from "./check-traits.ts";

/** One assertion of a URL monitor (behaviour 2.1). */
export const UrlAssertion = assertionSchema("UrlAssertion", ["STATUS_CODE"], ["EQUALS", "NOT_EQUALS", "LESS_THAN", "GREATER_THAN"]);
export type UrlAssertion = z.output<typeof UrlAssertion>;

const requestFields = {
  method: z.literal("GET"),
  url: z.string().min(1).max(2048),
  followRedirects: z.boolean(),
  skipSSL: z.boolean().describe("relaxes trust only; expiry is still recorded"),
  ipFamily: z.enum(["IPv4", "IPv6"]),
  assertions: z.array(UrlAssertion).max(maxAssertions),
};

/** The request of a URL monitor: GET and nothing else (behaviour 2.2). */
export const UrlRequest = z
  .object(withDefaults(requestFields, { method: "GET", followRedirects: true, skipSSL: false, ipFamily: "IPv4", assertions: [] }))
  .meta({ id: "UrlRequest" });
export type UrlRequest = z.output<typeof UrlRequest>;

/** The request in a partial update: what is omitted keeps its value; arrays replace. */
export const UrlRequestUpdate = z.object(requestFields).partial().required({ url: true }).meta({ id: "UrlRequestUpdate" });

/** What a runner needs to know of a URL monitor, and what the verdict is judged by. Its results are `apiCheckResult`s. */
export const UrlCheckSettings = z.object({
  request: UrlRequest,
  ...timedSettings,
});
export type UrlCheckSettings = z.output<typeof UrlCheckSettings>;

/** The schemas of URL monitors (behaviour 2.3). */
export const urlCheck = checkSchemas("URL", {
  id: "UrlCheck",
  title: "URL monitor",
  writable: responseTimeLimits(30_000),
  defaults: { degradedResponseTime: 3000, maxResponseTime: 5000 },
  request: UrlRequest,
  requestUpdate: UrlRequestUpdate,
});

export const urlTraits = { ...probeTraits, request: "http", fillsTemplates: true } as const satisfies CheckTraits;
