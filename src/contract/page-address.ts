import { z } from "zod";

/*
 * How public pages (dashboards and status pages) are reached and what they point to. One page of the installation can have an address.
 */

/** First label of a page's own host name, in any case: letters, digits, hyphens and underscores. */
export const Subdomain = z.string().regex(/^[a-zA-Z0-9_-]{1,63}$/, "must be 1 to 63 letters, digits, hyphens and underscores");

/** A host name of the user's: no scheme, no port. */
export const CustomDomain = z
  .string()
  .max(253)
  .regex(/^([a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z0-9-]{2,63}$/, "must be a host name like status.example.com");

/** An address that visitors' browsers load or open: http or https, nothing that runs in the page. */
export const WebAddress = z.url({ protocol: /^https?$/ }).max(2048);

/** Clients of this contract send the empty text for nothing. */
export function orEmpty<S extends z.ZodType>(schema: S) {
  return z.union([schema, z.literal("")]).nullable();
}
