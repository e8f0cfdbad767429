import type { LocationStore } from "../storage/storage.ts";

/** The name that people gave a location, by what results have as `runLocation`; a data center, or one that was deleted, keeps its code. */
export type PlaceName = (code: string) => string;

/** Names of the account's locations, read once for a page. */
export async function placeNames({ list }: Pick<LocationStore, "list">, accountId: number): Promise<PlaceName> {
  const names = new Map((await list(accountId)).map(({ code, name }) => [code, name]));
  return (code) => names.get(code) ?? code;
}

interface Names {
  readonly placeName: PlaceName;
}

/** For people: with the name of its location in place of the code. */
export function named<T extends { readonly runLocation: string }>({ placeName }: Names, one: T): T {
  return { ...one, runLocation: placeName(one.runLocation) };
}

export function namedGap<T extends { readonly locations: readonly string[] }>({ placeName }: Names, gap: T): T {
  return { ...gap, locations: gap.locations.map(placeName) };
}
