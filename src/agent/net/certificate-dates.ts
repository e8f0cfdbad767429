import type { X509Certificate } from "node:crypto";

/** OpenSSL's word for a date that it cannot read. Node.js' Date is made of memory that nobody wrote then: any date, or none. */
const unreadable = "Bad time value";

/** From when a certificate counts (epoch ms); NaN for a date that cannot be read, which a certificate may hold. */
export function validFromMs({ validFrom, validFromDate }: X509Certificate): number {
  return validFrom === unreadable ? Number.NaN : validFromDate.getTime();
}

/** Until when a certificate counts (epoch ms); NaN as with `validFromMs`. */
export function validToMs({ validTo, validToDate }: X509Certificate): number {
  return validTo === unreadable ? Number.NaN : validToDate.getTime();
}
