import { expect } from "vitest";
import type { Assertion } from "../../src/contract/checks/assertion.ts";
import { storedCheckTypes } from "../../src/contract/checks/stored-types.ts";
import { evaluateAssertions } from "../../src/domain/assertions/evaluate.ts";
import type { AssertionFacts } from "../../src/domain/assertions/facts.ts";
import type { Imported, ImportedCheck } from "../../src/importers/imported.ts";

/** Stands wherever a sample holds a secret. */
export const secret = "S3cr3tV4lue";

/** Holds what is true of every import: checks that can be created, under different names, and warnings without a secret. */
export function sound(imported: Imported): Imported {
  for (const check of imported.checks) parsed(check);
  const names = imported.checks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(JSON.stringify(imported.warnings)).not.toContain(secret);
  expect(names.join()).not.toContain(secret);
  return imported;
}

/** The check as it would be stored. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into checks of every type
export function parsed(check: ImportedCheck | undefined): any {
  if (check === undefined) throw new Error("there is no such check");
  return storedCheckTypes[check.checkType].create.parse(check);
}

/** `where: message` of each warning. */
export function told({ warnings }: Imported): string[] {
  return warnings.map(({ where, message }) => `${where}: ${message}`);
}

/** Whether the assertions of a check hold for what came. */
export function passes(
  check: ImportedCheck | undefined,
  seen: Partial<Omit<AssertionFacts, "text">> & { readonly body?: string },
): boolean {
  const { body = "", ...facts } = seen;
  const assertions: readonly Assertion[] = parsed(check).request.assertions;
  return evaluateAssertions(assertions, { statusCode: 200, responseTimeMs: 10, headers: {}, text: () => body, ...facts }).every(
    ({ error }) => error === undefined,
  );
}
