import { hash } from "node:crypto";

/** What an error message comes to when everything is taken out of it that differs from run to run. */
export interface CleanedError {
  readonly message: string;
  /** SHA-256 of `message`, hexadecimal: failures with the same one are the same problem. */
  readonly hash: string;
}

/** Longer messages say no more of what went wrong. */
const maxLength = 1_000;
/** A quoted text from this length on is an excerpt of what was received, no name of something. */
const excerptLength = 25;

/**
 * Cleans an error message, so that two failures for one reason read the same (spec 2.14): times, addresses, ids and numbers
 * become placeholders, of URLs the query goes, of long quotations the text. No digit is left, so cleaning twice changes nothing.
 * Takes time in proportion to the message, whatever is in it.
 *
 * @returns null for a message that says nothing
 */
export function cleanError(message: string): CleanedError | null {
  const cleaned = cleanErrorMessage(message);
  return cleaned === "" ? null : { message: cleaned, hash: hash("sha256", cleaned) };
}

/** See `cleanError`. At most 1,000 characters. */
export function cleanErrorMessage(message: string): string {
  // What was cut in two may look like something else.
  return withoutDetails(withoutDetails(message).slice(0, maxLength));
}

function withoutDetails(message: string): string {
  const line = message
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const plain = line.replaceAll(url, withoutQuery).replaceAll(variable, placeholder);
  return withoutReceived(plain).replaceAll(quotation, shortQuotation);
}

/*
 * The patterns. Each consumes what it looked at or looks a bounded distance ahead, and none can match in two ways: so time stays linear.
 */

const url = /https?:\/\/[^\s"'`<>]+/gi;

const months = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}";
const clock = String.raw`\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?`;
const offset = String.raw`[+-]\d{2}:?\d{2}(?!\d)`;
const zone = `(?:Z| ?(?:UTC|GMT)(?:${offset})?| ?${offset})?`;

/** In order: the first that fits counts. */
const kinds = {
  uuid: "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
  isoTime: String.raw`\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?${zone})?`,
  /** As HTTP, `Date` and OpenSSL write it: the day of the week and the name of the month differ, too. */
  writtenTime: String.raw`(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?(?:\d{1,2}[ -]${months}|${months} {1,2}\d{1,2})(?:,?[ -]\d{4})?,? ${clock}(?: \d{4})?${zone}`,
  clock: `${clock}${zone}`,
  ipv4: String.raw`\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?`,
  ipv6: String.raw`\[?(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:%[a-z0-9]{1,15})?(?:\](?::\d{1,5})?)?`,
  sign: String.raw`[-+](?=\d)`,
  number: String.raw`\d+(?:[.,]\d+)+(?:e[-+]?\d+)?|\d+e[-+]\d+`,
  word: "[a-z0-9]+",
} as const;

/** Words of another kind are tried where no word is under way, so that `eu-west-1` keeps its hyphens. */
const variable = new RegExp(
  `(?<![a-z0-9:.])(?:${kinds.uuid}|(?<time>${kinds.isoTime}|${kinds.writtenTime}|${kinds.clock})|(?<address>${kinds.ipv4}|${kinds.ipv6})|(?<sign>${kinds.sign})|${kinds.number})|${kinds.word}`,
  "gi",
);

interface Groups {
  readonly time?: string;
  readonly address?: string;
  readonly sign?: string;
}

function placeholder(found: string, ...rest: readonly unknown[]): string {
  const { time, address, sign } = rest.at(-1) as Groups; // the last argument, because the pattern names its groups
  if (sign !== undefined) return "";
  if (!/\d/.test(found)) return found;
  if (time !== undefined) return "<time>";
  if (address !== undefined) return "<address>";
  return /^[a-z0-9]+$/i.test(found) ? wordWithDigits(found) : "<n>";
}

const units = /^(?:n|u|µ|m)?s$|^(?:min|h|d|x|st|nd|rd|th)$|^[kmgt]?i?b$/i;

/**
 * `200ms` keeps its unit and `IPv4` its name; what mixes letters and digits otherwise is an id. Ids and numbers look the same afterwards:
 * an id may happen to have no letter.
 */
function wordWithDigits(word: string): string {
  const parts = /^(?<name>[a-z]*)\d+(?<unit>[a-z]*)$/i.exec(word)?.groups;
  if (parts === undefined || isId(word)) return "<n>";
  const { name = "", unit = "" } = parts;
  return unit === "" ? `${name}<n>` : name === "" && units.test(unit) ? `<n>${unit}` : "<n>";
}

/** Hexadecimal, or longer than a name; numbers of any length are numbers. */
function isId(word: string): boolean {
  return /[a-z]/i.test(word) && ((word.length >= 6 && /^[0-9a-f]+$/i.test(word)) || word.length >= 20);
}

function withoutQuery(found: string): string {
  const at = found.search(/[?#]./);
  return at < 0 ? found : `${found.slice(0, at)}?…`;
}

const got = ', got "';

/** A failed assertion ends with what it got, as it came: quotation marks in it are no one's ends. */
function withoutReceived(text: string): string {
  const [first, last] = [text.indexOf(got) + got.length, text.lastIndexOf('"')];
  return first < got.length || last - first < excerptLength ? text : `${text.slice(0, first)}…${text.slice(last)}`;
}

const quotation = /"[^"]*"|(?<![a-z])'[^']*'(?![a-z])|`[^`]*`/gi;

function shortQuotation(found: string): string {
  const mark = found.charAt(0);
  return found.length - 2 < excerptLength ? found : `${mark}…${mark}`;
}
