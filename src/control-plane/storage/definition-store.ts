/* Definitions of every account, as they are stored: for upkeep alone, see `storage.ts`. */

/** What has a definition with secrets of users. */
export type DefinitionKind = "check" | "check-group" | "variable";

export interface DefinitionRow {
  readonly id: number;
  readonly accountId: number;
  readonly uuid: string;
  /** Of a variable its key; null for the others. */
  readonly name: string | null;
  /** JSON. */
  readonly definition: string;
}

export interface DefinitionStore {
  /** In the order of their ids. */
  after(kind: DefinitionKind, id: number, limit: number): Promise<readonly DefinitionRow[]>;
  /** Unless somebody wrote it meanwhile. @returns whether nobody did */
  replace(kind: DefinitionKind, row: DefinitionRow, definition: string): Promise<boolean>;
}
