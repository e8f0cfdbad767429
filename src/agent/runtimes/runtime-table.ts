import type { CatalogRuntime } from "#contract/runtime-catalog.ts";
import { isPastEndOfLife, lastDay } from "./end-of-life.ts";
import type { findRuntimes } from "./find-runtimes.ts";

/** What `outpost runtime list` shows: a line for every runtime there is, installed or not. */
export function runtimeTable(
  catalog: readonly CatalogRuntime[],
  { installed, broken }: Awaited<ReturnType<typeof findRuntimes>>,
  nowMs: number,
): string {
  const state = ({ name }: CatalogRuntime): string => {
    const here = installed.find(({ id }) => id === name);
    if (here !== undefined) return `${Math.round(here.manifest.bytes / 1e6)} MB`;
    const bad = broken.find(({ id }) => id === name);
    return bad === undefined ? "no" : `broken: ${bad.because}`;
  };
  const rows = catalog.map((runtime) => [
    runtime.name,
    installed.find(({ id }) => id === runtime.name)?.manifest.nodeJsVersion ?? runtime.nodeJsVersion,
    runtime.stage,
    `${lastDay(runtime)}${isPastEndOfLife(runtime, nowMs) ? " (past)" : ""}`,
    state(runtime),
  ]);
  const table = [["RUNTIME", "NODE.JS", "STAGE", "END OF LIFE", "INSTALLED"], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
