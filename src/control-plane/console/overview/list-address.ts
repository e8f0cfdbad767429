import { addressOf, filterOf } from "./filter.ts";

/** The list as it was, with what was done; `query` is what its page said of itself, and leads nowhere else. */
export function doneInList(query: string, done: string): string {
  const filter = filterOf(new URLSearchParams(query));
  const address = addressOf(filter, { page: filter.page });
  return `${address}${address.includes("?") ? "&" : "?"}done=${encodeURIComponent(done)}`;
}
