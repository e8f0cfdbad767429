import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The program of an earlier commit, from its sources, on the packages of today. */
export interface EarlierProgram {
  readonly commit: string;
  /** What Node.js starts for `outpost`. */
  readonly words: readonly string[];
}

/**
 * Takes the sources of a tag or commit out of the repository, once, into a temporary folder. Null, with the reason on standard output, where the
 * history does not reach so far back, as in a shallow clone, or where there is none, as in an archive.
 */
export function earlierProgram(ref: string): EarlierProgram | null {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], { cwd: root, encoding: "utf8" });
  if (status !== 0) {
    process.stdout.write(
      `Tests with the program of ${ref} are skipped: this clone does not have that commit (git fetch --unshallow --tags)\n`,
    );
    return null;
  }
  const commit = stdout.trim();
  // One for each checkout: it leads to the packages there.
  const checkout = createHash("sha256").update(root).digest("hex").slice(0, 8);
  const folder = join(tmpdir(), `outpost-earlier-${userInfo().username}`, `${commit}-${checkout}`);
  if (!existsSync(folder)) takeOut(commit, folder);
  return { commit, words: ["--disable-warning=ExperimentalWarning", "--conditions=source", join(folder, "src/cli.ts")] };
}

/** The last release before this one by its tag; before the first release a commit of some days ago. */
export function refBefore(version: string): string {
  const tags = execFileSync("git", ["tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname"], { cwd: root, encoding: "utf8" });
  return tags.split("\n").find((tag) => /^v\d+\.\d+\.\d+$/.test(tag) && tag !== `v${version}`) ?? "b227b23b0db5";
}

function takeOut(commit: string, folder: string): void {
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const archive = execFileSync("git", ["archive", commit, "src", "package.json"], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync("tar", ["-xf", "-", "-C", draft], { input: archive });
  symlinkSync(join(root, "node_modules"), join(draft, "node_modules"));
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true }); // another run was first
    if (!existsSync(folder)) throw error;
  }
}
