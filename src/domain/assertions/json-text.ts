import { tooMuchWork } from "./work-budget.ts";

/** A JSON text's value, or in a sentence why it has none. */
export type ParsedJson = { readonly value: unknown } | { readonly problem: string };

/**
 * 25 MB of `{},` are 8 million objects and 600 MB of memory, which no limit of a thread's heap stops while the engine
 * parses. Five million values take up to 300 MB; written for a purpose, they take more than 25 MB of text.
 */
const maxValues = 5_000_000;

const quote = 0x22;
const comma = 0x2c;
const bracket = 0x5b;
const backslash = 0x5c;
const brace = 0x7b;

/** Parses a body. Never throws. */
export function parsedJson(text: string): ParsedJson {
  if (hasTooManyValues(text)) return { problem: tooMuchWork("the JSON") };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: text === "" ? "the body is empty, not JSON" : "the body is not JSON" };
  }
}

/** Each value but the first of its array or object follows a comma; 6 ns per character, and nothing for a text that is too short. */
function hasTooManyValues(text: string): boolean {
  if (text.length <= maxValues) return false;
  let values = 0;
  let isInString = false;
  for (let index = 0; index < text.length && values <= maxValues; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) isInString = !isInString;
    else if (code === backslash) index += 1;
    else if (!isInString && (code === comma || code === bracket || code === brace)) values += 1;
  }
  return values > maxValues;
}
