import { promisify } from "node:util";
import { constants, crc32, deflateRaw } from "node:zlib";

/** Less fits into a packet as it is. */
export const leastPacked = 1_400;

const deflate = promisify(deflateRaw);

/**
 * A page in gzip, with some texts kept apart: each of them is stored as it is, and what stands before and after it is compressed by itself. So the
 * length of the answer tells nothing of them, whatever else somebody can put into the page (the attack called BREACH).
 *
 * @param apart texts that are nobody's business, such as tokens of forms
 */
export async function packedPage(body: string, apart: readonly string[]): Promise<Buffer> {
  const bytes = Buffer.from(body);
  const blocks = await Promise.all(piecesOf(body, apart).map(blocksOf));
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length % 2 ** 32, 4);
  return Buffer.concat([header, ...blocks.flat(), end, trailer]);
}

/** RFC 1952: gzip, deflate, no name, no time, any system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** RFC 1951, 3.2.4: a last block, stored, of no bytes. */
const end = Buffer.from([1, 0, 0, 0xff, 0xff]);
const mostStored = 0xffff;

interface Piece {
  readonly text: string;
  readonly isApart: boolean;
}

function piecesOf(body: string, apart: readonly string[]): readonly Piece[] {
  let pieces: readonly Piece[] = [{ text: body, isApart: false }];
  for (const secret of apart.filter((one) => one !== "")) {
    pieces = pieces.flatMap((piece) => (piece.isApart ? piece : around(piece.text.split(secret), secret)));
  }
  return pieces.filter(({ text }) => text !== "");
}

function around(parts: readonly string[], secret: string): readonly Piece[] {
  return parts.flatMap((text, index) => [...(index === 0 ? [] : [{ text: secret, isApart: true }]), { text, isApart: false }]);
}

/** Blocks of which none is the last, to a whole byte. The fastest level leaves a tenth of a list of checks. */
async function blocksOf({ text, isApart }: Piece): Promise<readonly Buffer[]> {
  return isApart ? stored(text) : [await deflate(text, { level: 1, finishFlush: constants.Z_SYNC_FLUSH })];
}

function stored(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const blocks: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += mostStored) {
    const part = bytes.subarray(from, from + mostStored);
    const head = Buffer.from([0, part.length & 0xff, part.length >> 8, ~part.length & 0xff, (~part.length >> 8) & 0xff]);
    blocks.push(head, part);
  }
  return blocks;
}
