/** Of one key as many as the store keeps of it; in all a few megabytes. */
const most = { ofKey: 1_000, inAll: 50_000 };

/**
 * Networks that keys were used from lately, so that the store is not asked about them again. A key that comes from more forgets its own, and none of
 * another key; of very many keys the one that was met first is forgotten.
 */
export class KnownPlaces {
  readonly #byKey = new Map<string, Set<string>>();
  #count = 0;

  has(keyId: string, network: string): boolean {
    return this.#byKey.get(keyId)?.has(network) === true;
  }

  add(keyId: string, network: string): void {
    if (this.has(keyId, network)) return;
    if (this.#byKey.get(keyId)?.size === most.ofKey) this.#forget(keyId);
    const first = this.#byKey.keys().next();
    if (this.#count >= most.inAll && first.done !== true) this.#forget(first.value);
    this.#byKey.getOrInsertComputed(keyId, () => new Set()).add(network);
    this.#count += 1;
  }

  #forget(keyId: string): void {
    this.#count -= this.#byKey.get(keyId)?.size ?? 0;
    this.#byKey.delete(keyId);
  }
}
