import { domainToASCII } from "node:url";

/** A host as people write it, as it is looked up: without brackets, names of other scripts in their ASCII form (RFC 5890). */
export function targetHost(text: string): string {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (/^[\x21-\x7e]*$/.test(bare)) return bare;
  return domainToASCII(bare) || bare;
}
