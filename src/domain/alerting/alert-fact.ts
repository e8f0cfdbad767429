export interface AlertFact {
  readonly name: string;
  readonly value: string;
  /** An address of ours. */
  readonly isLink?: boolean;
}
