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

/** The check of a heartbeat, and the token in its row. */
export interface TokenRow extends DefinitionRow {
  readonly token: string;
}

export interface DefinitionStore {
  /** In the order of their ids. */
  after(kind: DefinitionKind, id: number, limit: number): Promise<readonly DefinitionRow[]>;
  /** Unless somebody wrote it meanwhile. @returns whether nobody did */
  replace(kind: DefinitionKind, row: DefinitionRow, definition: string): Promise<boolean>;
  /** Heartbeats whose token in the row does not begin so, in the order of their checks' ids. */
  tokensWithout(prefix: string, id: number, limit: number): Promise<readonly TokenRow[]>;
  /** Unless it was changed meanwhile. @throws {AppError} conflict when another heartbeat has the token */
  replaceToken(row: TokenRow, token: string): Promise<void>;
}
