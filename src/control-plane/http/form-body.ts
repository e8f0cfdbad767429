import { AppError } from "#domain/app-error.ts";
import type { Headers } from "./authenticate.ts";

/** What a form may cost before it is read. */
export interface FormBounds {
  readonly bytes: number;
  /** Names with values. Parsing costs more than linear time in them, and so does whatever walks them. */
  readonly pairs: number;
  /** How often one name may be there: pages draw a row for each. */
  readonly repeats: number;
}

/** Where nobody is signed in: the longest form is a name, an address and a password. */
export const visitorBounds: FormBounds = { bytes: 65_536, pairs: 1_000, repeats: 1_000 };
/** Scripts of a check are a megabyte; its 200 assertions and 200 variables, or a page of subscriptions, are thousands of fields. */
export const signedInBounds: FormBounds = { bytes: 1_048_576, pairs: 10_000, repeats: 2_000 };

/**
 * What the head of a form tells already.
 *
 * @throws {AppError} unsupported, too_large
 */
export function refuseFormByHead(headers: Headers, { bytes }: FormBounds): void {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new AppError("unsupported", "A form must not be compressed; send it without content-encoding");
  }
  const length = Number(headers["content-length"] ?? 0);
  if (length > bytes) throw new AppError("too_large", `The form has ${length} bytes; at most ${bytes} are allowed`);
}

/**
 * The fields of a form, counted before they are parsed.
 *
 * @param bytes undefined where there was no body
 * @throws {AppError} invalid_input
 */
export function parseForm(bytes: Buffer | undefined, contentType: string | undefined, bounds: FormBounds): URLSearchParams {
  if (bytes === undefined || bytes.length === 0) return new URLSearchParams();
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType ?? "")) {
    throw new AppError("invalid_input", "The content type must be application/x-www-form-urlencoded");
  }
  if (hasMoreThan(bounds.pairs, bytes)) throw new AppError("invalid_input", `The form has more than ${bounds.pairs} fields`);
  const form = new URLSearchParams(bytes.toString("utf8"));
  refuseRepeats(form, bounds.repeats);
  return form;
}

function refuseRepeats(form: URLSearchParams, most: number): void {
  const counts = new Map<string, number>();
  for (const name of form.keys()) {
    const count = (counts.get(name) ?? 0) + 1;
    if (count > most) throw new AppError("invalid_input", `The form has "${name.slice(0, 100)}" more than ${most} times`);
    counts.set(name, count);
  }
}

function hasMoreThan(pairs: number, bytes: Buffer): boolean {
  let count = 1;
  for (let at = bytes.indexOf(ampersand); at !== -1; at = bytes.indexOf(ampersand, at + 1)) {
    count += 1;
    if (count > pairs) return true;
  }
  return false;
}

const ampersand = 0x26;
