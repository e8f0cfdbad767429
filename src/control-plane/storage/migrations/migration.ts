/** One step forward. Applied whole or not at all; never changed once released: a correction is the next version. */
export interface Migration {
  readonly version: number;
  readonly statements: (engine: "sqlite" | "postgres") => readonly string[];
}
