import { hasCode } from "#domain/app-error.ts";
import type { FormProblems } from "../form-view.ts";
import { upperFirst } from "./texts.ts";

/**
 * What an operation refused, as sentences beside the fields of a form; what no field is to blame for stands above all.
 *
 * @param fields what a sentence calls each of them
 * @param unique the one whose value another thing may have already
 * @returns null where it is no problem of what was typed
 */
export function fieldProblems(
  error: unknown,
  fields: Readonly<Record<string, string>>,
  unique: string,
): { readonly problems: FormProblems; readonly status: number } | null {
  if (hasCode(error, "conflict")) return { problems: { [unique]: upperFirst(error.message) }, status: 409 };
  if (!hasCode(error, "invalid_input")) return null;
  const told = issuesOf(error.attributes["issues"]).map(({ path, message }) => {
    const name = Object.hasOwn(fields, path) ? path : "";
    return [name, name === "" ? `${path} ${message}`.trim() : `${fields[path]} ${message}`] as const;
  });
  return { problems: told.length === 0 ? { "": error.message } : Object.fromEntries(told.toReversed()), status: 400 };
}

interface Issue {
  readonly path: string;
  readonly message: string;
}

function issuesOf(issues: unknown): readonly Issue[] {
  return Array.isArray(issues) ? issues.filter(isIssue) : [];
}

function isIssue(issue: unknown): issue is Issue {
  return typeof issue === "object" && issue !== null && "path" in issue && "message" in issue && typeof issue.path === "string";
}
