import { hasCode } from "#domain/app-error.ts";
import type { FormProblems } from "./form-view.ts";

interface Issue {
  readonly path: string;
  readonly message: string;
}

/**
 * What an operation refused, beside the fields of a form that are named as its body names them; what belongs to none of them stands under an
 * empty name.
 *
 * @throws what is no refusal of input
 */
export function refusedFields(error: unknown, fields: readonly string[]): FormProblems {
  if (hasCode(error, "conflict")) return { "": sentence(error.message) };
  if (!hasCode(error, "invalid_input")) throw error;
  const issues = (error.attributes["issues"] ?? []) as readonly Issue[]; // as `invalidInput` and `parsePart` write them
  if (issues.length === 0) return { "": sentence(error.message) };
  const byField = Map.groupBy(issues, ({ path }) => fields.find((field) => isWithin(path, field)) ?? "");
  const text = (field: string, of: readonly Issue[]): string =>
    of
      .map(({ path, message }) => (path === field ? sentence(withoutReceived(message)) : sentence(`${inside(path, field)} ${message}`)))
      .join(" ");
  return Object.fromEntries([...byField].map(([field, of]) => [field, text(field, of)]));
}

function isWithin(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}[`) || path.startsWith(`${field}.`);
}

/** What was received stands in the field itself. */
function withoutReceived(message: string): string {
  return message.replace(/[,;] received [^;]*$/, "");
}

/** `"key" of entry 1`: where in a field it is; a path of no field as it is. */
function inside(path: string, field: string): string {
  const rest = field === "" ? undefined : /^\[(\d+)\](?:\.(.+))?$/.exec(path.slice(field.length));
  if (!rest) return `"${path}"`;
  const entry = `entry ${Number(rest[1]) + 1}`;
  return rest[2] === undefined ? entry : `the ${rest[2]} of ${entry}`;
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
