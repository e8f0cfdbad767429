import { answerReference, mostChanges } from "#contract/changes.ts";
import { isBody } from "#domain/json-paths.ts";
import type { PlannedCall } from "./objects.ts";

interface Weight {
  readonly calls: number;
  readonly bytes: number;
  /** Objects, lists, and what is in them. */
  readonly values: number;
}

/** Together in one transaction, at most: a control plane takes little more in one body. */
const together: Weight = { calls: mostChanges, bytes: 8_000_000, values: 250_000 };
/** Of each part where they are more: a control plane writes nothing else for its length, so a part takes about a second. */
const apart: Weight = { calls: 2_000, bytes: 2_000_000, values: 120_000 };

/**
 * Calls in the order in which they are made, cut into as few parts as a control plane takes at once; at least one part.
 *
 * @param beside what travels with them where there is one part, and alone after several
 */
export function partsOf(calls: readonly PlannedCall[], beside: object): readonly PlannedCall[][] {
  const weights = calls.map(weightOf);
  if (isWithin([...weights, { ...weightOf(beside), calls: 0 }].reduce(sum, nothing), together)) return [[...calls]];
  const parts: PlannedCall[][] = [];
  let weight = nothing;
  for (const [index, call] of calls.entries()) {
    const own = weights[index] ?? nothing;
    weight = sum(weight, own);
    const part = parts.at(-1);
    if (part !== undefined && isWithin(weight, apart)) part.push(call);
    else {
      parts.push([call]);
      weight = own;
    }
  }
  return parts;
}

const nothing: Weight = { calls: 0, bytes: 0, values: 0 };
const weightOf = (one: object): Weight => ({ calls: 1, bytes: Buffer.byteLength(JSON.stringify(one)), values: valuesIn(one) });
const sum = (a: Weight, b: Weight): Weight => ({ calls: a.calls + b.calls, bytes: a.bytes + b.bytes, values: a.values + b.values });
const isWithin = (weight: Weight, most: Weight): boolean =>
  weight.calls <= most.calls && weight.bytes <= most.bytes && weight.values <= most.values;

function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((all, one) => all + valuesIn(one), 1);
}

/**
 * A part's body as it travels: references to calls of earlier parts are the ids that these told, others count from the part's first call.
 *
 * @param made what each call of the earlier parts told
 */
export function withAnswers<T>(made: readonly (string | number | null)[], value: T): T {
  return made.length === 0 ? value : (answered(made, value) as T);
}

function answered(made: readonly (string | number | null)[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => answered(made, one));
  if (!isBody(value)) return value;
  const call = value[answerReference];
  if (typeof call === "number") return call < made.length ? made[call] : { [answerReference]: call - made.length };
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, answered(made, one)]));
}
