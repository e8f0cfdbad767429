import { basename, dirname, join, posix } from "node:path";
import ignore, { type Ignore } from "ignore";
import { textIfThere } from "./manifest.ts";

/** Read in each folder; what the second says adds to the first. */
const files = [".gitignore", ".outpostignore"] as const;

const noRules = (): Ignore => ignore({ ignorecase: false });

/** Installed, made anew by each run, or likely to be secret. */
const alwaysLeftOut = noRules().add(["node_modules", ".git", "test-results/", "playwright-report/", "blob-report/", ".env*"]);

interface FolderRules {
  /** A path of the bundle as the folder of the rules sees it. */
  readonly seen: (path: string) => string;
  readonly rules: Ignore;
}

/** Which files of a tree stay out of a bundle. Rules of a deeper folder win, as git has it. */
export class IgnoreRules {
  readonly #folders: readonly FolderRules[];

  private constructor(folders: readonly FolderRules[]) {
    this.#folders = folders;
  }

  /** Rules of the folders above `root`, which hold inside, too. @param top the highest that is read */
  static async above(root: string, top: string): Promise<IgnoreRules> {
    const above: FolderRules[] = [];
    let between = "";
    for (let at = root; at !== top && at !== dirname(at); at = dirname(at)) {
      between = `${basename(at)}/${between}`;
      const prefix = between;
      const rules = await rulesIn(dirname(at));
      if (rules !== undefined) above.unshift({ seen: (path) => prefix + path, rules });
    }
    return new IgnoreRules(above);
  }

  /** With those of a folder below. @param path as seen from the root; empty: the root */
  async within(root: string, path: string): Promise<IgnoreRules> {
    const rules = await rulesIn(join(root, path));
    const length = path === "" ? 0 : path.length + 1;
    return rules === undefined ? this : new IgnoreRules([...this.#folders, { seen: (inner) => inner.slice(length), rules }]);
  }

  /** @param path as seen from the root; nothing above it is left out */
  leavesOut(path: string, isFolder: boolean): boolean {
    const slash = isFolder ? "/" : "";
    if (alwaysLeftOut.ignores(posix.basename(path) + slash)) return true;
    for (const { seen, rules } of this.#folders.toReversed()) {
      const { ignored, unignored } = rules.test(seen(path) + slash);
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

async function rulesIn(folder: string): Promise<Ignore | undefined> {
  const texts = (await Promise.all(files.map((name) => textIfThere(join(folder, name))))).filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : noRules().add(texts.join("\n"));
}
