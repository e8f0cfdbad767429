import { chmod, lchown, lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { extract, type ReadEntry } from "tar";
import { codeBundleLimits } from "#contract/code-bundles.ts";
import { AppError } from "#domain/app-error.ts";
import { BundleEntries } from "#domain/bundle-entries.ts";
import { entryKind } from "#domain/entry-kinds.ts";

/**
 * Unpacks a project of tests into an empty folder. What its archive may have is asked here once more: who uploaded it is nobody this agent knows.
 *
 * @throws {AppError} invalid_input with what is wrong with it
 */
export async function unpackBundle(file: string, folder: string): Promise<void> {
  const entries = new BundleEntries(codeBundleLimits);
  let problem: string | null = null;
  await mkdir(folder, { recursive: true });
  try {
    await extract({
      file,
      cwd: folder,
      strict: true,
      preserveOwner: false,
      filter: (path, entry) => {
        const { type, linkpath = "", size } = entry as ReadEntry; // of an extraction
        problem ??= entries.take({ path, kind: entryKind(type), target: linkpath, bytes: size });
        openUp(entry as ReadEntry);
        return problem === null;
      },
    });
  } catch (cause) {
    if (problem === null) throw unpackError(cause);
  }
  const told: string | null = problem; // set while it was unpacked
  if (told !== null) throw new AppError("invalid_input", `the code bundle cannot be unpacked: ${String(told)}`);
}

/** Whoever unpacks has to read what is there. */
function openUp(entry: ReadEntry): void {
  entry.mode = (entry.mode ?? 0o644) | (entry.type === "Directory" ? 0o700 : 0o600);
}

/** What this machine cannot do is not the bundle's fault. */
function unpackError(cause: unknown): AppError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return /^(?:ENOSPC|EDQUOT|EMFILE|ENFILE|EACCES|EPERM|EROFS|EIO|ENOENT)$/.test(code)
    ? new AppError("unavailable", `the code bundle cannot be unpacked at this agent (${code})`, { cause })
    : new AppError("invalid_input", "the code bundle cannot be unpacked: it is no whole .tar.gz", { cause });
}

/** Makes all of a folder a user's; links themselves, not what they lead to. */
export async function giveTo(user: number, folder: string): Promise<void> {
  await eachBelow(folder, (path) => lchown(path, user, user));
}

/** Takes a folder back from a run: this process's, for everybody to read. */
export async function takeBack(folder: string): Promise<void> {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  await eachBelow(folder, async (path, kind) => {
    await lchown(path, user, group);
    if (kind === "link") return;
    const { mode } = await lstat(path);
    await chmod(path, kind === "folder" ? 0o755 : (mode & 0o111) === 0 ? 0o644 : 0o755);
  });
}

type Kind = "folder" | "link" | "file";

async function eachBelow(folder: string, act: (path: string, kind: Kind) => Promise<unknown>): Promise<void> {
  await act(folder, "folder");
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await eachBelow(path, act);
    else await act(path, entry.isSymbolicLink() ? "link" : "file");
  }
}
