import type { InputProblem } from "#domain/invalid-input.ts";
import type { LocationStore } from "../storage/storage.ts";

/** Where a check or a group wants to run, as users name it. */
interface WantedLocations {
  readonly locations?: readonly string[] | null | undefined;
  readonly privateLocations?: readonly string[] | null | undefined;
}

/** The store's ids of locations by their codes and slugs, each once, in the order given. */
export async function findLocations(
  store: Pick<LocationStore, "byCodes">,
  accountId: number,
  wanted: WantedLocations,
): Promise<{ locationIds: readonly number[]; problems: readonly InputProblem[] }> {
  const codes = { locations: [...new Set(wanted.locations ?? [])], privateLocations: [...new Set(wanted.privateLocations ?? [])] };
  const all = [...codes.locations, ...codes.privateLocations];
  const rows = all.length === 0 ? [] : await store.byCodes(accountId, all);
  const idOf = (code: string, isPrivate: boolean): number | undefined =>
    rows.find((row) => row.code === code && (row.accountId !== null) === isPrivate)?.id;
  const found = [
    ...codes.locations.map((code) => ({ path: "locations", code, id: idOf(code, false) })),
    ...codes.privateLocations.map((code) => ({ path: "privateLocations", code, id: idOf(code, true) })),
  ];
  return {
    locationIds: found.flatMap(({ id }) => id ?? []),
    problems: found.flatMap(({ path, code, id }) =>
      id === undefined ? [{ path, message: `names no location of this account: ${code}` }] : [],
    ),
  };
}
