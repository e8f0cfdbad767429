import type { Scrubber } from "#domain/scrub/scrubber.ts";
import { contentKind, headBytes } from "./content-kind.ts";

/** Where results have bytes as base64: the body of an HTTP answer, and what a TCP peer said. */
const places = [
  { field: "body", encodingField: "bodyEncoding" },
  { field: "data", encodingField: "dataEncoding" },
] as const;

type Response = Readonly<Record<string, unknown>>;

/**
 * The answer in a result with its bytes scrubbed as the bytes that they are: in them a secret may be in any form, and its base64 would hide
 * it. Packed bytes are not opened here, so they do not leave; a sentence takes their place.
 */
export function withScrubbedBytes(response: Response, scrubber: Scrubber): Response {
  const place = places.find(({ field, encodingField }) => response[encodingField] === "base64" && typeof response[field] === "string");
  if (place === undefined) return response;
  const { field, encodingField } = place;
  const bytes = Buffer.from(String(response[field]), "base64");
  const kind = contentKind(bytes.subarray(0, headBytes), "");
  const packing = kind.is === "archive" ? kind.kind : kind.is === "closed" ? kind.what : null;
  if (packing === null) return { ...response, [field]: Buffer.from(scrubber.scrubBytes(bytes)).toString("base64") };
  const { [encodingField]: _encoding, ...rest } = response;
  return { ...rest, [field]: `(withheld: ${packing} may hide a secret of this check)` };
}
