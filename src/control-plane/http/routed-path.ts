/** `/checks/{id}`, as operations and pages write it, in the router's own words. */
export function routedPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}
