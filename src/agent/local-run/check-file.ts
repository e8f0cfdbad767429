import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from "yaml";

/** From 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Something in a file that is not as it must be. */
export interface FileProblem {
  readonly position: Position;
  readonly message: string;
}

/** One check as it stands in a file. */
export interface WrittenCheck {
  readonly value: unknown;
  /** Where the value at this path stands; where it is missing, what it is missing in. */
  readonly positionOf: (path: readonly PropertyKey[]) => Position;
}

/** What a file holds, or why it cannot be read. */
export type CheckFile = { readonly checks: readonly WrittenCheck[] } | { readonly problems: readonly FileProblem[] };

const start: Position = { line: 1, column: 1 };

/** Reads a file of checks: one, a list of them, or several documents, in YAML 1.2 or JSON. */
export function readCheckFile(text: string): CheckFile {
  const lines = new LineCounter();
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  try {
    const documents = [...parseAllDocuments(text, { lineCounter: lines, merge: true, prettyErrors: false, logLevel: "error" })];
    const problems = documents.flatMap(({ errors }) =>
      errors.map(({ pos, message }) => ({ position: positionAt(pos[0]), message: `is no YAML or JSON: ${message}` })),
    );
    if (problems.length > 0) return { problems };
    const checks = documents.flatMap((document) => checksOf(document as Document.Parsed, positionAt));
    return checks.length > 0 ? { checks } : { problems: [{ position: start, message: "holds no check" }] };
  } catch (error) {
    // The reader's own bounds: too many aliases, or nested too deeply for it.
    return { problems: [{ position: start, message: `cannot be read: ${error instanceof Error ? error.message : String(error)}` }] };
  }
}

function checksOf(document: Document.Parsed, positionAt: (offset: number) => Position): WrittenCheck[] {
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (value === null) return []; // an empty document, such as the one before a first `---`
  const positionOf = (path: readonly PropertyKey[]): Position => positionAt(offsetOf(document, path));
  if (!Array.isArray(value)) return [{ value, positionOf }];
  return value.map((one: unknown, index) => ({ value: one, positionOf: (path) => positionOf([index, ...path]) }));
}

/** Of the deepest node on the way to `path`. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  let node: Node | null | undefined = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const part of path) {
    node = childOf(isAlias(node) ? node.resolve(document) : node, part);
    if (node === null || node === undefined) break;
    offset = node.range?.[0] ?? offset;
  }
  return offset;
}

function childOf(node: Node | null | undefined, part: PropertyKey): Node | null | undefined {
  if (isSeq(node)) return node.items[Number(part)] as Node | undefined;
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
  return pair?.value as Node | null | undefined;
}
