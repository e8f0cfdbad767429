/** An entry of a tar as its header tells it. `target` of links. */
export interface BundleEntry {
  readonly path: string;
  readonly kind: string;
  readonly target: string;
  readonly bytes: number;
}

export interface BundleLimits {
  readonly entries: number;
  readonly unpackedBytes: number;
}

const longestPath = 1_000;
const deepestPath = 100;
const shown = (path: string): string => JSON.stringify(path.slice(0, 200));

/**
 * Whether the entries of a project that was uploaded may be unpacked, one after another in their order: files, folders and links that stay inside,
 * nothing through a link, and nothing twice. What this lets pass cannot lead an unpacker out of its folder, whichever order it works in.
 */
export class BundleEntries {
  readonly #limits: BundleLimits;
  readonly #folders = new Set<string>();
  /** Files and links. */
  readonly #leaves = new Map<string, "file" | "link">();
  #entries = 0;
  #unpackedBytes = 0;
  #files = 0;

  constructor(limits: BundleLimits) {
    this.#limits = limits;
  }

  get files(): number {
    return this.#files;
  }

  get unpackedBytes(): number {
    return this.#unpackedBytes;
  }

  /** @returns what is wrong with it, as a sentence; null where nothing is */
  take({ path, kind, target, bytes }: BundleEntry): string | null {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries)
      return `it has more than ${this.#limits.entries} entries; leave out what is installed or made anew, such as node_modules`;
    const segments = segmentsOf(path);
    if (segments === null) return `the path ${shown(path)} leaves the folder, or cannot be unpacked everywhere`;
    return this.#place(segments, kind) ?? this.#link(segments, kind, target) ?? this.#count(kind, bytes);
  }

  #place(segments: readonly string[], kind: string): string | null {
    const path = segments.join("/");
    for (let length = 1; length < segments.length; length += 1) {
      const above = segments.slice(0, length).join("/");
      const leaf = this.#leaves.get(above);
      if (leaf !== undefined) return `${shown(path)} would lie inside of ${shown(above)}, which is a ${leaf}`;
      this.#folders.add(above);
    }
    if (kind === "folder") {
      if (this.#leaves.has(path)) return `${shown(path)} is there twice`;
      this.#folders.add(path);
      return null;
    }
    if (!isKnown(kind)) return `${shown(path)} is a ${kind}; a bundle has files, folders and links`;
    if (this.#leaves.has(path) || this.#folders.has(path)) return `${shown(path)} is there twice`;
    this.#leaves.set(path, kind === "file" ? "file" : "link");
    return null;
  }

  #link(segments: readonly string[], kind: string, target: string): string | null {
    if (kind === "link") return staysInside(segments.slice(0, -1), target) ? null : leads(segments, target);
    if (kind !== "hard link") return null;
    const path = segmentsOf(target)?.join("/");
    return path !== undefined && this.#leaves.get(path) === "file" ? null : leads(segments, target);
  }

  #count(kind: string, bytes: number): string | null {
    if (kind === "file") this.#files += 1;
    this.#unpackedBytes += kind === "file" ? bytes : 0;
    return this.#unpackedBytes > this.#limits.unpackedBytes ? `there are more than ${this.#limits.unpackedBytes} bytes in it` : null;
  }
}

function isKnown(kind: string): boolean {
  return kind === "file" || kind === "link" || kind === "hard link";
}

function leads(segments: readonly string[], target: string): string {
  return `the link ${shown(segments.join("/"))} leads to ${shown(target)}, outside of the bundle or to what is not in it`;
}

/** Null for one that leaves the folder, and for names that systems read differently. `./` in front and `/` at the end are how tar writes folders. */
function segmentsOf(path: string): readonly string[] | null {
  // oxlint-disable-next-line no-control-regex -- they end names, or move terminals
  if (path.length > longestPath || path.startsWith("/") || /[\u0000-\u001f\\]/.test(path)) return null;
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  return segments.includes("..") || segments.length > deepestPath ? null : segments;
}

/**
 * Of a symbolic link: `..` only in front, where it counts folders that are no links, and never above the bundle. Behind a name `..` could go up
 * from where another link leads.
 */
function staysInside(folder: readonly string[], target: string): boolean {
  if (target === "" || target.startsWith("/")) return false;
  const segments = target.split("/").filter((segment) => segment !== "" && segment !== ".");
  const ups = segments.findIndex((segment) => segment !== "..");
  const rest = ups === -1 ? [] : segments.slice(ups);
  return (ups === -1 ? segments.length : ups) <= folder.length && segmentsOf(rest.join("/")) !== null;
}
