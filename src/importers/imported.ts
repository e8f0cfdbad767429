import type { Assertion } from "#contract/checks/assertion.ts";
import { storedCheckTypes } from "#contract/checks/stored-types.ts";
import { tellIssue } from "#contract/issue-sentences.ts";
import { assertionProblems } from "#domain/assertions/problems.ts";

export type ImportedType = "API" | "TCP" | "DNS" | "ICMP" | "SSL" | "GRPC" | "HEARTBEAT";

/** The body of a creation, without locations. It passes the create schema of its type. */
export interface ImportedCheck {
  readonly checkType: ImportedType;
  readonly name: string;
  readonly [field: string]: unknown;
}

/** Something of the input that no check says. It repeats no value of the input, since any of them may be a secret. */
export interface ImportWarning {
  /** `line 12`, or the path of a field. */
  readonly where: string;
  readonly message: string;
}

/** What an importer makes of a file. */
export interface Imported {
  readonly checks: readonly ImportedCheck[];
  readonly warnings: readonly ImportWarning[];
}

/** An assertion without what its schema fills in. */
export type AssertionDraft = Pick<Assertion, "source" | "comparison"> & Partial<Assertion>;

const maxNameLength = 200;

/** Collects what an importer finds. Checks that the create schema refuses become warnings, so that no importer can make a bad one. */
export class Importing implements Imported {
  readonly checks: ImportedCheck[] = [];
  readonly warnings: ImportWarning[] = [];
  readonly #names = new Map<string, number>();

  warn(where: string, message: string): void {
    if (this.warnings.some((known) => known.where === where && known.message === message)) return;
    this.warnings.push({ where, message });
  }

  /** @returns whether it could be kept */
  add(where: string, check: ImportedCheck): boolean {
    const evaluable = this.#withEvaluableAssertions(where, check);
    const parsed = storedCheckTypes[check.checkType].create.safeParse(evaluable, { reportInput: true });
    if (!parsed.success) {
      for (const issue of parsed.error.issues.slice(0, 5)) {
        const { path, message } = tellIssue(issue, () => true);
        this.warn(where, `left out: "${path}" of the check ${message}`);
      }
      return false;
    }
    this.checks.push({ ...evaluable, name: this.#uniqueName(check.name) });
    return true;
  }

  #withEvaluableAssertions(where: string, check: ImportedCheck): ImportedCheck {
    const request = check["request"] as { readonly assertions?: readonly AssertionDraft[] } | undefined;
    if (request?.assertions === undefined) return check;
    const assertions = request.assertions.filter((draft) => {
      const problems = assertionProblems({ property: "", target: "", regex: "", ...draft });
      if (problems.length > 0)
        this.warn(where, `an assertion on ${draft.source} is left out: its expression or target cannot be evaluated`);
      return problems.length === 0;
    });
    return { ...check, request: { ...request, assertions } };
  }

  /** Two checks with one name are hard to tell apart on a dashboard. */
  #uniqueName(name: string): string {
    const count = (this.#names.get(name) ?? 0) + 1;
    this.#names.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  }
}

/** A name in one line that leaves room for a number. */
export function nameOf(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length <= maxNameLength ? line : `${line.slice(0, maxNameLength - 1)}…`;
}
