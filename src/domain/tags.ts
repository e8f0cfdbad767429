/**
 * Whether tags match a trigger's `matchTags` (behaviour 3): one of the outer lists must hold whole; `!tag` holds when
 * the tag is absent. No list at all matches nothing, so an empty `matchTags` must not come here; an empty inner list matches everything.
 *
 * @param tags those of the check and of its group
 */
export function matchesTags(matchTags: readonly (readonly string[])[], tags: readonly string[]): boolean {
  return matchTags.some((all) => all.every((tag) => (tag.startsWith("!") ? !tags.includes(tag.slice(1)) : tags.includes(tag))));
}
