import type { TracerouteHop } from "#contract/checks/traceroute.ts";

/** Hops as people read them: one that somebody answered at, or silent ones in a row. */
export interface HopPart {
  readonly first: number;
  readonly last: number;
  /** Null: nobody answered from the first to the last. */
  readonly hop: TracerouteHop | null;
}

/** From the agent on. */
export function hopParts(hops: readonly TracerouteHop[]): readonly HopPart[] {
  const parts: HopPart[] = [];
  for (const one of hops) {
    const before = parts.at(-1);
    const hop = one.address === null ? null : one;
    if (hop === null && before?.hop === null) parts.splice(-1, 1, { ...before, last: one.hop });
    else parts.push({ first: one.hop, last: one.hop, hop });
  }
  return parts;
}
