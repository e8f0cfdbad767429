import type { TracerouteHop } from "#contract/checks/traceroute.ts";
import { withDeadline } from "#daemon/deadline.ts";
import type { Resolver } from "../../net/resolver.ts";

/** Look-ups at the same time: name servers of small networks take no more. */
const atATime = 8;

/**
 * The hops with the names of their routers, as far as they are known within `limitMs`; others have none. A look-up for each
 * address, at most one for each hop.
 *
 * @throws the signal's reason
 */
export async function withNames(
  hops: readonly TracerouteHop[],
  { namesOf }: Resolver,
  limitMs: number,
  signal: AbortSignal,
): Promise<TracerouteHop[]> {
  const names = new Map<string, string>();
  const waiting = [...new Set(hops.flatMap(({ address }) => address ?? []))];
  if (namesOf !== undefined && limitMs >= 1 && waiting.length > 0) {
    const lookUp = async (limit: AbortSignal): Promise<void> => {
      for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
        const [name] = await namesOf(address, limit);
        if (name !== undefined) names.set(address, name);
      }
    };
    const all = (limit: AbortSignal): Promise<unknown> => Promise.all(Array.from({ length: atATime }, () => lookUp(limit)));
    await withDeadline(signal, limitMs, "names of hops", all).catch(() => signal.throwIfAborted());
  }
  return hops.map((hop) => ({ ...hop, hostname: names.get(hop.address ?? "") ?? null }));
}
