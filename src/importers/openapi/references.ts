import { type Fields, fieldsOf, isFields } from "../yaml-text.ts";

const maxHops = 20;

/** Follows `$ref` inside the document; undefined where it leads out of the document, in a circle or nowhere. */
export function resolved(document: Fields, value: unknown): Fields | undefined {
  let current = value;
  for (let hop = 0; hop < maxHops; hop += 1) {
    if (!isFields(current)) return undefined;
    const { $ref: reference } = current;
    if (typeof reference !== "string") return current;
    if (!reference.startsWith("#/")) return undefined;
    current = reference
      .slice(2)
      .split("/")
      .reduce<unknown>((at, part) => ownField(at, unescaped(part)), document);
  }
  return undefined;
}

/** RFC 6901, in a URI fragment. */
function unescaped(part: string): string {
  const text = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function ownField(value: unknown, name: string): unknown {
  const fields = fieldsOf(value);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
