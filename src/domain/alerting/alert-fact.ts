export interface AlertFact {
  readonly name: string;
  readonly value: string;
}
