import { posix } from "node:path";
import { refusal } from "./refusal.ts";

/** Deep and full of what nobody named: they are entered only where a pattern names them. */
const namedOnly = ["node_modules", ".git"];

/** What comes along although a rule leaves it out: paths and patterns, a folder with all that is in it. */
export class Included {
  readonly #patterns: readonly Pattern[];
  readonly #met = new Set<Pattern>();

  /** @param given as seen from `workingDir`, which is as seen from the root @throws {ConfigError} for what leads out of the root */
  constructor(given: readonly string[], workingDir: string) {
    this.#patterns = given.map((text) => {
      const path = posix.join(workingDir, text).replace(/\/$/, "");
      if (path.startsWith("..") || text.startsWith("/"))
        throw refusal(`--include ${text} leads out of the project; name a path or a pattern inside`);
      return {
        text,
        path,
        base: path
          .split("/")
          .filter((_, index, all) => !all.slice(0, index + 1).some(isGlob))
          .join("/"),
      };
    });
  }

  /** Whether a file comes along. */
  takes(path: string): boolean {
    const pattern = this.#patterns.find((one) => path === one.path || path.startsWith(`${one.path}/`) || matches(path, one.path));
    if (pattern !== undefined) this.#met.add(pattern);
    return pattern !== undefined;
  }

  /** Whether something in a folder may come along. */
  mayTakeFrom(folder: string): boolean {
    return this.#patterns.some(({ path, base }) => {
      if (namedOnly.some((name) => folder.split("/").includes(name) && !path.split("/").includes(name))) return false;
      return base === "" || base === folder || base.startsWith(`${folder}/`) || folder.startsWith(`${base}/`);
    });
  }

  /** @throws {ConfigError} for a pattern that met nothing: it is misspelt */
  refuseUnmet(): void {
    const unmet = this.#patterns.find((pattern) => !this.#met.has(pattern));
    if (unmet !== undefined)
      throw refusal(`--include ${unmet.text} names no file of the project; write it as seen from the suite's folder`);
  }
}

interface Pattern {
  readonly text: string;
  readonly path: string;
  /** Its folders before the first that is a pattern. */
  readonly base: string;
}

function isGlob(segment: string): boolean {
  return /[*?[\]{}!]/.test(segment);
}

/** A file that the pattern names, or one below a folder that it names. */
function matches(path: string, pattern: string): boolean {
  if (posix.matchesGlob(path, pattern)) return true;
  const depth = pattern.split("/").length;
  return isGlob(pattern) && !pattern.includes("**") && posix.matchesGlob(path.split("/").slice(0, depth).join("/"), pattern);
}
