import type { CheckRead } from "./check-type.ts";
import { checkTypesInConsole } from "./index.ts";

/** What is checked, in a line; empty where that is a script. */
export function subjectOf(check: CheckRead): string {
  const tell = checkTypesInConsole[check.checkType].subject as (check: CheckRead) => string; // the one of its own type
  return tell(check);
}
