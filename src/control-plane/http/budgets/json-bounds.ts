import { AppError } from "#domain/app-error.ts";

/** What a JSON text may hold before it becomes objects. */
export interface JsonBounds {
  /** Objects, lists, and what is in them: each costs memory and time beyond its bytes. */
  readonly values: number;
  readonly depth: number;
}

/** Far deeper than any body of ours; a deeper one could overflow the stack of whatever walks it. */
const depth = 100;
/** The largest of REST subscribes a channel to 20,000 checks, each with two members. */
export const restBounds: JsonBounds = { values: 70_000, depth };
/** A project of 5,000 resources with some sixty values each. */
export const projectBounds: JsonBounds = { values: 300_000, depth };
/** A thousand results of the usual sixty values each; one DNS answer of 64 KB may have 20,000. */
export const agentBounds: JsonBounds = { values: 100_000, depth };

const quote = 0x22;
const [backslash, comma, open, close, openList, closeList] = Buffer.from("\\,{}[]");
/** A string that ends within so many bytes is looked through here: a call out of JavaScript costs more. */
const nearBytes = 64;

/**
 * One pass over the bytes, linear in them, and nothing is made of them. What is no JSON may be counted wrongly; `JSON.parse` refuses it.
 *
 * @throws {AppError} too_large for more values, invalid_input for more depth
 */
export function refuseLargeJson(bytes: Buffer, bounds: JsonBounds): void {
  let values = 1;
  let nested = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = stringEnd(bytes, at);
    else if (byte === comma) values += 1;
    else if (byte === open || byte === openList) {
      values += 1;
      nested += 1;
      if (nested > bounds.depth) throw new AppError("invalid_input", `The body is nested more than ${bounds.depth} levels deep`);
    } else if (byte === close || byte === closeList) nested -= 1;
    if (values > bounds.values) throw new AppError("too_large", `The body holds more than ${bounds.values} values`);
  }
}

/** The same of a body that was no JSON: what a form was made into. @throws {AppError} too_large */
export function refuseLargeBody(body: unknown, { values }: JsonBounds): void {
  const found = [body];
  for (const value of found) {
    if (found.length > values) throw new AppError("too_large", `The form holds more than ${values} values`);
    if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) found.push(inner);
  }
}

/** Where the string that begins at `start` ends: at a quote behind an even number of backslashes. Without one, at the end of the bytes. */
function stringEnd(bytes: Buffer, start: number): number {
  for (let end = nextQuote(bytes, start + 1); end !== -1; end = nextQuote(bytes, end + 1)) {
    let before = end - 1;
    while (bytes[before] === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return bytes.length;
}

function nextQuote(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + nearBytes);
  for (let at = from; at < near; at += 1) if (bytes[at] === quote) return at;
  return bytes.indexOf(quote, near);
}
