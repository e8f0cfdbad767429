import type { CatalogRuntime } from "#contract/runtime-catalog.ts";

/** The last day on which the runtime's Node.js gets security fixes, as people write it: 2028-04-30. The catalog has month/day/year. */
export function lastDay({ runtimeEndOfLife }: Pick<CatalogRuntime, "runtimeEndOfLife">): string {
  const [month, day, year] = runtimeEndOfLife.split("/");
  return `${year}-${month}-${day}`;
}

/** Whether that day is over everywhere it could be today (UTC). */
export function isPastEndOfLife(runtime: Pick<CatalogRuntime, "runtimeEndOfLife">, nowMs: number): boolean {
  return nowMs >= Date.parse(lastDay(runtime)) + 24 * 3_600_000;
}
