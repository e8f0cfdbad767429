/** What a query of an address holds stays behind: nobody need have called it a secret. */
export function withoutQueries(text: string): string {
  return text.replaceAll(/\?[^\s"'`<>]+/g, "?…");
}
