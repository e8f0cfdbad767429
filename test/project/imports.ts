const specifiers =
  /(?:^|\n)\s*(?:import|export)\b[^;'"]*?\bfrom\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)|(?:^|\n)\s*import\s*["']([^"']+)["']/g;

/** What a module names in its imports and exports, in its order. */
export function importsOf(source: string): string[] {
  return [...source.matchAll(specifiers)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}
