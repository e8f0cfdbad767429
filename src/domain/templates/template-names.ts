import { templateTags } from "./template-tags.ts";

/** The names of variables that templates in the texts of a value ask for, at any depth. */
export function templateNames(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === "string") addNames(value, found);
  else if (typeof value === "object" && value !== null) for (const entry of Object.values(value)) templateNames(entry, found);
  return found;
}

/** `$` begins a helper. */
function addNames(text: string, found: Set<string>): void {
  for (const { name } of templateTags(text)) if (name !== undefined && !name.startsWith("$")) found.add(name);
}
