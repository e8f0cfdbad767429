/** What the assertions of one attempt may read. Getters are lazy: a source that no assertion names costs nothing. */
export interface AssertionFacts {
  readonly statusCode: number | null;
  readonly responseTimeMs: number;
  /** Lower-case name to value; several values of one header are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body, whole (up to the read cap). */
  readonly text: () => string;
}
