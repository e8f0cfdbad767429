/** A field of the form, under the path that its value has in the body of the operation; so an error of that path stands beside it. */
export interface CheckField {
  readonly path: string;
  readonly label: string;
  /** `pairs`: lines of a name and a value, which `between` parts. `list`: words between commas. `code`: a large area. */
  readonly kind: "text" | "number" | "area" | "code" | "flag" | "choice" | "pairs" | "list" | "runtime" | "snippet";
  readonly options?: readonly string[];
  readonly between?: ":" | "=";
  readonly hint?: string;
  /** What an empty number stands for, by protocol; where none is stored it is left out. */
  readonly ofProtocol?: Readonly<Record<string, number>>;
  /** Left empty it is null. */
  readonly isNullable?: true;
  /** In which part that is shut at first it stands. */
  readonly within?: "more" | "scripts";
}
