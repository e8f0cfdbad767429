/** What the templates of one attempt are filled from. */
export interface TemplateContext {
  /** Values by name; own properties only. */
  readonly variables: Readonly<Record<string, string>>;
  /** Epoch milliseconds: the time that `moment` tells, in UTC. */
  readonly nowMs: number;
  /** From 0 to below 1, as `Math.random`. */
  readonly random: () => number;
  readonly uuid: () => string;
}
