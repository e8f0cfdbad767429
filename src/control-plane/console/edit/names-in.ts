/** The names in a list of a check as it is read, or as the form made it; none where there is no list. */
export function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? (list as readonly string[]) : [];
}
