import { dirname, join, posix, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { textIfThere } from "./manifest.ts";

/** Read in each folder; what the second says adds to the first. */
const files = [".gitignore", ".outpostignore"] as const;

const noRules = (): Ignore => ignore({ ignorecase: false });

/** Installed, made anew by each run, or likely to be secret. */
const alwaysLeftOut = noRules().add(["node_modules", ".git", "test-results/", "playwright-report/", "blob-report/", ".env*"]);

/**
 * Which files of a tree stay out of a bundle, as git has it. All rules that hold in a folder are one list, written as the uppermost folder sees them: the
 * last that fits wins, and only then is known whether a folder is left out with all that is in it.
 */
export class IgnoreRules {
  readonly #rules: Ignore;
  /** The bundle's root as the uppermost folder sees it, with `/` at its end; empty: the same. */
  readonly #prefix: string;

  private constructor(rules: Ignore, prefix: string) {
    this.#rules = rules;
    this.#prefix = prefix;
  }

  /** Rules of the folders above `root`, which hold inside, too. @param top the uppermost that is read */
  static async above(root: string, top: string): Promise<IgnoreRules> {
    const folders: string[] = [];
    for (let at = root; at !== top && at !== dirname(at); at = dirname(at)) folders.unshift(dirname(at));
    const seen = (folder: string): string => relative(top, folder).split(sep).join("/");
    let rules = noRules();
    for (const folder of folders) rules = (await withRulesOf(rules, folder, seen(folder))) ?? rules;
    return new IgnoreRules(rules, root === top ? "" : `${seen(root)}/`);
  }

  /** With those of a folder below. @param path as seen from the root; empty: the root */
  async within(root: string, path: string): Promise<IgnoreRules> {
    const rules = await withRulesOf(this.#rules, join(root, path), (this.#prefix + path).replace(/\/$/, ""));
    return rules === undefined ? this : new IgnoreRules(rules, this.#prefix);
  }

  /** @param path as seen from the root; nothing above it is left out */
  leavesOut(path: string, isFolder: boolean): boolean {
    const slash = isFolder ? "/" : "";
    return alwaysLeftOut.ignores(posix.basename(path) + slash) || this.#rules.ignores(this.#prefix + path + slash);
  }
}

/** Undefined where the folder has no rules. @param place of the folder, as the uppermost one sees it; empty: the same */
async function withRulesOf(rules: Ignore, folder: string, place: string): Promise<Ignore | undefined> {
  const texts = (await Promise.all(files.map((name) => textIfThere(join(folder, name))))).filter((text) => text !== undefined);
  if (texts.length === 0) return undefined;
  const lines = texts
    .join("\n")
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/);
  return noRules()
    .add(rules)
    .add(lines.flatMap((line) => ruleAt(place, line)).map((pattern) => ({ pattern })));
}

/** A line of a folder's rules as the uppermost folder would have it. None of a blank line and a comment. */
function ruleAt(place: string, line: string): readonly string[] {
  if (line.trim() === "" || line.startsWith("#")) return [];
  if (place === "") return [line];
  const [sign, pattern] = line.startsWith("!") ? ["!", line.slice(1)] : ["", line];
  const folder = place.replace(/[*?[\]\\]/g, "\\$&");
  // A name alone fits at any depth; whatever has a slash before its end, from its folder on.
  const isAnchored = /\/(?!\s*$)/.test(pattern);
  return [`${sign}/${folder}/${isAnchored ? "" : "**/"}${pattern.replace(/^\//, "")}`];
}
