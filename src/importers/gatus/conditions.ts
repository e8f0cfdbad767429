import { durationMs } from "../durations.ts";

export type Operator = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** A comparison of a placeholder with a fixed value, the placeholder on the left. */
export interface Condition {
  readonly where: string;
  /** `STATUS`, `BODY`, `RESPONSE_TIME` … */
  readonly placeholder: string;
  /** What follows `[BODY]`: empty, or a path like `.user.name[0]`. */
  readonly path: string;
  /** `len` and `has` look at the value, not at its text. */
  readonly fn: "len" | "has" | undefined;
  readonly operator: Operator;
  readonly wanted: Wanted;
}

/** A text, several of which one must be, or a pattern in which `*` is any text and `?` any character. */
export type Wanted =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "any"; readonly texts: readonly string[] }
  | { readonly kind: "pattern"; readonly pattern: string };

const mirrored: Readonly<Record<Operator, Operator>> = { "==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/** Undefined for what compares no placeholder, or two. */
export function readCondition(text: string, where: string): Condition | undefined {
  const parts = /^(.*?)\s*(==|!=|<=|>=|<|>)\s*(.*)$/s.exec(text.trim());
  if (!parts) return undefined;
  const [left, operator, right] = [parts[1] ?? "", parts[2] as Operator, parts[3] ?? ""];
  const [onLeft, onRight] = [readPlaceholder(left), readPlaceholder(right)];
  if (onLeft && !onRight) return { where, ...onLeft, operator, wanted: readWanted(right) };
  if (onRight && !onLeft) return { where, ...onRight, operator: mirrored[operator], wanted: readWanted(left) };
  return undefined;
}

function readPlaceholder(text: string): Pick<Condition, "placeholder" | "path" | "fn"> | undefined {
  const parts = /^(?:(len|has)\()?\[([A-Z_]+)\]([^()]*)(\))?$/s.exec(text.trim());
  if (!parts || (parts[1] === undefined) !== (parts[4] === undefined)) return undefined;
  return { placeholder: parts[2] ?? "", path: parts[3] ?? "", fn: parts[1] as Condition["fn"] };
}

function readWanted(text: string): Wanted {
  const call = /^(any|pat)\((.*)\)$/s.exec(text.trim());
  if (call?.[1] === "any") return { kind: "any", texts: (call[2] ?? "").split(",").map((one) => one.trim()) };
  if (call?.[1] === "pat") return { kind: "pattern", pattern: call[2] ?? "" };
  return { kind: "text", text: text.trim() };
}

export function isEquality(operator: Operator): boolean {
  return operator === "==" || operator === "!=";
}

/** A whole number that a condition compares with; durations count in milliseconds. */
export function wholeNumber(wanted: Wanted): number | undefined {
  if (wanted.kind !== "text") return undefined;
  const number = /^-?\d+$/.test(wanted.text) ? Number(wanted.text) : durationMs(wanted.text);
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
}

/** Whole numbers that satisfy the operator, as one or two comparisons that a check knows. */
export function integerComparison(
  operator: Operator,
  number: number,
): { readonly comparison: "EQUALS" | "NOT_EQUALS" | "GREATER_THAN" | "LESS_THAN"; readonly target: string } {
  switch (operator) {
    case "==":
      return { comparison: "EQUALS", target: String(number) };
    case "!=":
      return { comparison: "NOT_EQUALS", target: String(number) };
    case "<":
      return { comparison: "LESS_THAN", target: String(number) };
    case "<=":
      return { comparison: "LESS_THAN", target: String(number + 1) };
    case ">":
      return { comparison: "GREATER_THAN", target: String(number) };
    case ">=":
      return { comparison: "GREATER_THAN", target: String(number - 1) };
  }
}

/** `*` is any text and `?` any character; what else stands in a pattern is meant as it is. */
export function wildcards(pattern: string): string {
  return escaped(pattern).replaceAll("\\*", ".*").replaceAll("\\?", ".");
}

/** A text as a regular expression that matches it and nothing else. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
