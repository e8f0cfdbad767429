import type { z } from "zod";

type Issue = z.core.$ZodIssue;
type IssueOf<Code extends Issue["code"]> = Extract<Issue, { readonly code: Code }>;
type Path = readonly PropertyKey[];

/** A broken rule of a schema: where, and a clause that says what was received and what is allowed. */
export interface ToldIssue {
  /** `request.headers[0].key`; empty for the whole. */
  readonly path: string;
  /** `must be a string, received 5` */
  readonly message: string;
}

/**
 * Tells an issue for people; it must come from a parse with `reportInput`.
 *
 * @param isHidden whether the value at this path is not to be repeated
 */
export function tellIssue(issue: Issue, isHidden: (path: Path) => boolean = () => false): ToldIssue {
  return { path: pathText(issue.path), message: messageOf(issue, isHidden) };
}

/** Values under these names may be secrets or long. */
const unspoken =
  /^(value|.*key|passphrase|.*password|.*secret|.*token|.*script|authorization|cookie|body|data|url|proxyUrl|username|target|detail|errorMessage)$/i;

export function mayHoldSecret(path: Path): boolean {
  return path.some((part) => unspoken.test(String(part)));
}

/** `request.headers[0].key` */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}${text === "" ? "" : "."}${String(part)}`),
    "",
  );
}

const given = (issue: Issue): string => issue.message;

type Teller<I extends Issue> = (issue: I, received: string, isHidden: (path: Path) => boolean) => string;
const messages: { readonly [Code in Issue["code"]]: Teller<IssueOf<Code>> } = {
  invalid_type: ({ input, expected }, received) =>
    input === undefined ? "is required" : `must be ${article(expected)}, received ${received}`,
  invalid_value: ({ values }, received) =>
    `must be ${values.length === 1 ? "" : "one of "}${values.map(String).join(", ")}; received ${received}`,
  too_small: (issue, received) =>
    isOfNothing(issue)
      ? "must not be empty"
      : `must ${bound(issue.origin, "at least", Number(issue.minimum), issue.inclusive)}, received ${received}`,
  too_big: (issue, received) => `must ${bound(issue.origin, "at most", Number(issue.maximum), issue.inclusive)}, received ${received}`,
  // A pattern of ours brings its own words.
  invalid_format: (issue, received) =>
    `${issue.format === "regex" ? issue.message : `must be a valid ${issue.format}`}, received ${received}`,
  not_multiple_of: ({ divisor }, received) => `must be a multiple of ${divisor}, received ${received}`,
  invalid_union: unionMessage,
  unrecognized_keys: given,
  invalid_key: given,
  invalid_element: given,
  custom: given,
};

function messageOf(issue: Issue, isHidden: (path: Path) => boolean): string {
  // The table is keyed by the very code that types its entries.
  return (messages[issue.code] as Teller<Issue>)(issue, receivedOf(issue, isHidden), isHidden);
}

/** What zod says of a union that has no words of its own. */
const unionDefault = "Invalid input";

/** The branch that came closest says most: the one whose problem lies deepest. */
function unionMessage(issue: z.core.$ZodIssueInvalidUnion, received: string, isHidden: (path: Path) => boolean): string {
  if (issue.input === undefined) return "is required";
  if ("options" in issue && issue.options !== undefined)
    return `must be one of ${issue.options.map(String).join(", ")}; received ${discriminatorOf(issue)}`;
  if (issue.message !== unionDefault) return `${issue.message}, received ${received}`; // in words of its own
  const depth = (issues: readonly Issue[]): number => Math.max(0, ...issues.map(({ path }) => path.length));
  const closest = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0]?.[0];
  if (closest === undefined) return `is not of an allowed form, received ${received}`;
  if (closest.path.length > 0) return `is not of an allowed form: "${pathText(closest.path)}" ${messageOf(closest, isHidden)}`;
  return `must match one of: ${issue.errors.flatMap((branch) => branch.slice(0, 1).map((first) => messageOf(first, isHidden))).join(" | ")}`;
}

/** What decides between the branches names itself in the path, but the input is the object around it. */
function discriminatorOf({ input, path }: Issue): string {
  const given: unknown = typeof input === "object" && input !== null ? Reflect.get(input, path.at(-1) ?? "") : input;
  if (typeof given === "string") return JSON.stringify(cut(given));
  return given === undefined ? "nothing" : article(typeof given);
}

function isOfNothing({ origin, minimum, inclusive }: IssueOf<"too_small">): boolean {
  return (origin === "string" || origin === "array") && Number(minimum) === 1 && inclusive !== false;
}

function bound(origin: string, side: "at least" | "at most", limit: number, inclusive: boolean | undefined): string {
  const unit = { string: ["character", "characters"], array: ["entry", "entries"], file: ["byte", "bytes"] }[origin];
  const exactly = inclusive === false ? (side === "at least" ? "more than" : "less than") : side;
  return unit === undefined ? `be ${exactly} ${limit}` : `have ${exactly} ${limit} ${limit === 1 ? unit[0] : unit[1]}`;
}

function receivedOf(issue: Issue, isHidden: (path: Path) => boolean): string {
  const { input, path } = issue;
  if (input === undefined) return "nothing";
  if (input === null) return "null";
  const counted = countOf(issue);
  if (counted !== undefined) return counted;
  if (Array.isArray(input)) return "an array";
  if (typeof input === "object") return "an object";
  if (isInPlaceOfObject(issue)) return article(typeof input);
  if (isHidden(path) && (typeof input === "string" || mayHoldSecret(path))) return `${article(typeof input)} that is not shown`;
  return typeof input === "string" ? JSON.stringify(cut(input)) : String(input as number | boolean);
}

/** Where only the size of what was received counts. */
function countOf(issue: Issue): string | undefined {
  if (issue.code !== "too_small" && issue.code !== "too_big") return undefined;
  if (Array.isArray(issue.input)) return `${issue.input.length}`;
  return typeof issue.input === "string" && issue.origin === "string" ? `${issue.input.length} characters` : undefined;
}

/** Whoever sends a text in the place of an object may have sent the secret that belongs into it. */
function isInPlaceOfObject(issue: Issue): boolean {
  return issue.code === "invalid_type" && ["object", "array", "record"].includes(issue.expected);
}

function cut(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

function article(type: string): string {
  const names: Readonly<Record<string, string>> = { record: "object", int: "whole number", nan: "number" };
  const name = names[type] ?? type;
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}
