/** Numbers from 0 to 1, the same for the same place (mulberry32 over a mix of the place's numbers). */
export function randomFrom(...place: readonly number[]): () => number {
  let state = place.reduce((mixed, number) => Math.imul(mixed ^ number, 0x9e37_79b1) ^ (mixed >>> 15), 0x2545_f491);
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}
