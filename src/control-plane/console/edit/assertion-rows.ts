import { ofLine } from "./shown-text.ts";

/** One assertion as the form has it. */
export interface AssertionRow {
  readonly source: string;
  readonly property: string;
  readonly comparison: string;
  readonly target: string;
}

interface StoredAssertion extends AssertionRow {
  readonly regex?: string | null;
}

/** A row without a source is none. One that nobody touched is as it was, and a regular expression, which the form does not show, stays with its row. */
export function assertionsIn(form: URLSearchParams, before: unknown): readonly AssertionRow[] {
  const [sources = [], properties = [], wanted = [], targets = []] = ["source", "property", "comparison", "target"].map((name) =>
    form.getAll(`assertion.${name}`),
  );
  const old = Array.isArray(before) ? (before as readonly StoredAssertion[]) : [];
  return sources.flatMap((source, index) => {
    if (source === "") return [];
    const row = { source, property: properties[index] ?? "", comparison: wanted[index] ?? "", target: targets[index] ?? "" };
    const was = old[index];
    if (was?.source !== source) return [row];
    const { regex } = was;
    return isShown(row, was) ? [was] : [{ ...row, ...(regex !== undefined && { regex }) }];
  });
}

function isShown({ property, comparison, target }: AssertionRow, was: StoredAssertion): boolean {
  return property === ofLine(was.property) && comparison === was.comparison && target === ofLine(was.target);
}
