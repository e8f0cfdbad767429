import { namesIn } from "./names-in.ts";

/* Where a check runs, in the form: its names, and what was ticked. */

/** Data centers that the form showed: those that it did not stay as they are. */
export const shownCenters = "locations.shown";

interface Places {
  readonly privateLocations: unknown;
  readonly locations?: unknown;
}

/** Both lists as they are stored where nothing was ticked or unticked. */
export function placesIn(form: URLSearchParams, before: Readonly<Record<string, unknown>>): Places {
  const privateLocations = inOrder(form.getAll("privateLocations"), before["privateLocations"]);
  const shown = new Set(form.getAll(shownCenters));
  if (shown.size === 0) return { privateLocations };
  const kept = namesIn(before["locations"]).filter((code) => !shown.has(code));
  return { privateLocations, locations: inOrder([...kept, ...form.getAll("locations")], before["locations"]) };
}

/** Those that were there keep their order. */
function inOrder(chosen: readonly string[], before: unknown): unknown {
  const old = namesIn(before);
  const kept = old.filter((name) => chosen.includes(name));
  const ordered = [...kept, ...chosen.filter((name) => !old.includes(name))];
  return before !== undefined && kept.length === old.length && ordered.length === old.length ? before : ordered;
}
