/** A value, or in a sentence why there is none. */
export type Checked<T> = { readonly value: T } | { readonly problem: string };
