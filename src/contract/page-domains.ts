import { z } from "zod";
import type { Operation } from "./operation.ts";

/** A domain that pages of the account want to be reached under, and the DNS record that shows that it is the account's. */
export const PageDomain = z
  .object({
    domain: z.string(),
    isProved: z.boolean().describe("false: nothing answers under the domain until the record is found, or another account has proved it"),
    record: z.object({ type: z.literal("TXT"), name: z.string(), value: z.string() }),
  })
  .meta({ id: "PageDomain" });
export type PageDomain = z.infer<typeof PageDomain>;

export const listPageDomains = {
  id: "listPageDomains",
  tag: "Status pages",
  method: "GET",
  path: "/v1/page-domains",
  summary: "List the domains of dashboards and status pages, and the records that prove them",
  description:
    "A page answers under its `customDomain` once the record stands in the domain's zone. It is looked for when somebody asks for the page, once a minute at most; found, it counts " +
    "until the page is deleted or gets another domain. With `PAGE_DOMAINS=trusted` nothing has to be proved.",
  access: "read",
  rateLimit: "standard",
  output: z.array(PageDomain),
  example: {},
  successStatus: 200,
} as const satisfies Operation;

export const pageDomainOperations = [listPageDomains] as const;
