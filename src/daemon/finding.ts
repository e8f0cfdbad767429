import { ConfigError } from "./env.ts";

/** What one examination of a doctor found: a sentence, and where something is wrong, what to do next. */
export interface Finding<Subject extends string = string> {
  readonly about: Subject;
  readonly verdict: "ok" | "warn" | "fail";
  readonly text: string;
  readonly next?: string;
}

/** Of a doctor, which takes no word but that of whom it examines. @throws {ConfigError} */
export function refuseOtherWords(words: readonly string[], whom: "agent" | "control-plane"): void {
  if (words.length === 0 || (words.length === 1 && words[0] === whom)) return;
  throw new ConfigError(`outpost doctor takes no word here but ${whom}, and was given: ${words.join(" ")}`);
}
