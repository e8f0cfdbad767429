import { timingSafeEqual } from "node:crypto";

/** In a time that tells nothing of where they differ. */
export function isSameText(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
