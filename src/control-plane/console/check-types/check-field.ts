/** A field of the form, under the path that its value has in the body of the operation; so an error of that path stands beside it. */
export interface CheckField {
  readonly path: string;
  readonly label: string;
  /** `pairs`: lines of a name and a value, which `between` parts. `list`: words between commas. `code`: a large area. */
  readonly kind: "text" | "number" | "area" | "code" | "flag" | "choice" | "pairs" | "list" | "runtime" | "snippet" | "group" | "password";
  readonly options?: readonly string[];
  /** What people read of them; themselves where this does not tell. */
  readonly optionTexts?: Readonly<Record<string, string>>;
  readonly between?: ":" | "=";
  readonly hint?: string;
  /** What an empty number stands for, by protocol; where none is stored it is left out. */
  readonly ofProtocol?: Readonly<Record<string, number>>;
  /** What is chosen where nothing is said; the first option where this does not tell. Then it stays unsaid. */
  readonly usual?: string;
  /** What is chosen is a number. */
  readonly isNumber?: true;
  /** Left empty it is null. */
  readonly isNullable?: true;
  /** In which part that is shut at first it stands. */
  readonly within?: "more" | "scripts" | "baseline" | "alerts";
}
