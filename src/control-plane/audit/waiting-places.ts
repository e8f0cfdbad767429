import type { KeyRow, NotedEntry } from "../storage/storage.ts";

/** A network that a key was used from, with what the audit log says of it where it is new. */
export interface WaitingPlace {
  readonly keyId: string;
  readonly network: string;
  readonly entry: NotedEntry;
}

/** Further networks of one key, which the audit log tells by their number. */
export interface FurtherPlaces {
  readonly key: KeyRow;
  readonly networks: readonly string[];
  /** There were others that were not kept. */
  readonly isMore: boolean;
}

const mostNamed = { ofKey: 50, ofAccount: 200, inAll: 5_000 };
const mostFurther = { ofKey: 1_000, inAll: 20_000 };

/**
 * Networks that keys were used from, until the store was asked about them. A key, and an account with all of its keys, has so many places: whoever uses
 * one from a thousand networks hides no new network of another. What finds no place is counted by key.
 */
export class WaitingPlaces {
  readonly #named = new Map<string, WaitingPlace>();
  readonly #counts = new Map<string, number>();
  readonly #further = new Map<string, { readonly key: KeyRow; readonly networks: Set<string>; isMore: boolean }>();
  #furtherCount = 0;

  /** @returns whether it has a place */
  add(key: KeyRow, network: string, entry: NotedEntry): boolean {
    const place = { keyId: key.id, network, entry };
    const id = idOf(place);
    if (this.#named.has(id)) return true;
    if (this.#named.size < mostNamed.inAll && holdersOf(place).every(({ id, most }) => (this.#counts.get(id) ?? 0) < most)) {
      this.#named.set(id, place);
      this.#count(place, 1);
      return true;
    }
    const further = this.#further.getOrInsertComputed(key.id, () => ({ key, networks: new Set(), isMore: false }));
    if (further.networks.has(network)) return false;
    if (further.networks.size < mostFurther.ofKey && this.#furtherCount < mostFurther.inAll) {
      further.networks.add(network);
      this.#furtherCount += 1;
    } else further.isMore = true;
    return false;
  }

  /** Whether half of all places is taken: time to write. */
  get isCrowded(): boolean {
    return 2 * this.#named.size >= mostNamed.inAll || 2 * this.#furtherCount >= mostFurther.inAll;
  }

  named(): readonly WaitingPlace[] {
    return [...this.#named.values()];
  }

  further(): readonly FurtherPlaces[] {
    return this.#further
      .values()
      .map(({ key, networks, isMore }) => ({ key, networks: [...networks], isMore }))
      .toArray();
  }

  /** Their places are free again. */
  removeNamed(places: readonly WaitingPlace[]): void {
    for (const place of places) if (this.#named.delete(idOf(place))) this.#count(place, -1);
  }

  /** What came since stays. */
  removeFurther({ key, networks }: FurtherPlaces): void {
    const left = this.#further.get(key.id);
    if (left === undefined) return;
    for (const network of networks) if (left.networks.delete(network)) this.#furtherCount -= 1;
    if (left.networks.size === 0) this.#further.delete(key.id);
  }

  #count(place: WaitingPlace, change: 1 | -1): void {
    for (const { id } of holdersOf(place)) {
      const count = (this.#counts.get(id) ?? 0) + change;
      if (count === 0) this.#counts.delete(id);
      else this.#counts.set(id, count);
    }
  }
}

/** Whose places it takes. Keys of data centers belong to no account. */
function holdersOf({ keyId, entry: { accountId } }: WaitingPlace): readonly { readonly id: string; readonly most: number }[] {
  const ofKey = { id: `key ${keyId}`, most: mostNamed.ofKey };
  return accountId === null ? [ofKey] : [ofKey, { id: `account ${accountId}`, most: mostNamed.ofAccount }];
}

export function idOf({ keyId, network }: Pick<WaitingPlace, "keyId" | "network">): string {
  return `${keyId} ${network}`;
}
