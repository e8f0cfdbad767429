/** What one examination of a doctor found: a sentence, and where something is wrong, what to do next. */
export interface Finding<Subject extends string = string> {
  readonly about: Subject;
  readonly verdict: "ok" | "warn" | "fail";
  readonly text: string;
  readonly next?: string;
}
