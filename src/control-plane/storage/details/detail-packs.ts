import type { DetailText, PlacedDetail } from "../engine.ts";

/*
 * Details that are written together are compressed together: setting a compressor up costs four times what a detail's 2 KB do. A pack is a
 * row of `result_details` under the number of its first result, and has a line "number JSON" for each, after a line break each; the detail
 * of one result alone is its JSON. All are of one day, so that PostgreSQL finds and drops them with that day's results. Whoever reads one
 * has to unpack all, so there are few.
 */

const detailsOfPack = 8;
/** Characters. A detail that is longer has a row of its own. */
const lengthOfPack = 32_768;
const lineBreak = 0x0a;

/** Microseconds. */
export const dayUs = 86_400_000_000;

export function startOfDay(atUs: number): number {
  return Math.floor(atUs / dayUs) * dayUs;
}

export interface PackedDetails {
  readonly packs: readonly DetailText[];
  /** The number of the pack that a result's detail is in, of those that are not alone. */
  readonly packOf: ReadonlyMap<number, number>;
}

/**
 * @param alone results whose detail another one may replace under the same number
 * @param byCheck details of several checks never share a pack, which could lie with one of them only
 */
export function packDetails(details: readonly DetailText[], alone: ReadonlySet<number>, byCheck = false): PackedDetails {
  const packs: DetailText[] = [];
  const packOf = new Map<number, number>();
  const close = (members: readonly DetailText[]): void => {
    const [first] = members;
    if (first === undefined) return;
    packs.push(members.length === 1 ? first : joined(first, members));
    if (members.length > 1) for (const { id } of members) packOf.set(id, first.id);
  };
  const groups = Map.groupBy(details, ({ startedAtUs, checkId }) => `${startOfDay(startedAtUs)} ${byCheck ? checkId : ""}`);
  for (const ofDay of groups.values()) {
    let open: DetailText[] = [];
    let length = 0;
    for (const detail of ofDay) {
      if (alone.has(detail.id)) {
        close([detail]);
        continue;
      }
      if (open.length === detailsOfPack || length + detail.text.length > lengthOfPack) {
        close(open);
        [open, length] = [[], 0];
      }
      open.push(detail);
      length += detail.text.length;
    }
    close(open);
  }
  return { packs, packOf };
}

/** The JSON of one result's detail. @param text of the row that has it, UTF-8 */
export function detailIn(text: Buffer, id: number): Buffer {
  if (text[0] !== lineBreak) return text;
  const mark = `\n${id} `;
  const at = text.indexOf(mark);
  if (at === -1) throw new RangeError(`the detail of result ${id} is not where it should be`);
  const start = at + mark.length;
  const end = text.indexOf(lineBreak, start);
  return text.subarray(start, end === -1 ? undefined : end);
}

/** The same of many results, by their numbers. @param texts of rows by theirs; what is not among them is left out */
export function detailsIn(texts: ReadonlyMap<number, Buffer>, wanted: readonly PlacedDetail[]): ReadonlyMap<number, Buffer> {
  return new Map(
    wanted.flatMap(({ id, pack }) => {
      const text = texts.get(pack);
      return text === undefined ? [] : [[id, detailIn(text, id)]];
    }),
  );
}

/** As old as the youngest of them, so that it outlives none. JSON has no line breaks outside of escapes. */
function joined({ id, checkId }: DetailText, members: readonly DetailText[]): DetailText {
  return {
    id,
    checkId,
    startedAtUs: Math.max(...members.map(({ startedAtUs }) => startedAtUs)),
    text: members.map((member) => `\n${member.id} ${member.text}`).join(""),
  };
}
