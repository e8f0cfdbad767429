export interface AlertFact {
  readonly name: string;
  readonly value: string;
  /** An address of ours. */
  readonly isLink?: boolean;
  /** What the link does, where `Open` says too little. */
  readonly label?: string;
}
