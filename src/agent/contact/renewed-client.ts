import type { ControlPlaneClient } from "./control-plane-client.ts";

interface Generation {
  readonly extraCas: readonly string[];
  readonly client: ControlPlaneClient;
  underWay: number;
}

/**
 * A control-plane client that follows the certificate authorities: when they change, new requests go through a new client, and the old
 * one closes when its last request has ended.
 *
 * @param extraCas the same array until they change
 */
export function createRenewedClient(
  make: (extraCas: readonly string[]) => ControlPlaneClient,
  extraCas: () => readonly string[],
): ControlPlaneClient {
  const begin = (cas: readonly string[]): Generation => ({ extraCas: cas, client: make(cas), underWay: 0 });
  let current = begin(extraCas());
  const open = new Set([current]);

  async function retire(generation: Generation): Promise<void> {
    await generation.client.close();
    open.delete(generation);
  }

  function latest(): Generation {
    const cas = extraCas();
    if (cas === current.extraCas) return current;
    const old = current;
    current = begin(cas);
    open.add(current);
    if (old.underWay === 0) void retire(old);
    return current;
  }

  return {
    async send(request, signal) {
      const generation = latest();
      generation.underWay += 1;
      try {
        return await generation.client.send(request, signal);
      } finally {
        generation.underWay -= 1;
        if (generation !== current && generation.underWay === 0) void retire(generation);
      }
    },
    async close() {
      await Promise.all([...open].map(retire));
    },
  };
}
