import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeBundleLimits } from "#contract/code-bundles.ts";
import { AppError } from "#domain/app-error.ts";
import type { Bundles } from "../runners/check-runner.ts";
import { Holds } from "./holds.ts";
import { isTouched, makeRoom } from "./make-room.ts";
import { OneAtATime } from "./one-at-a-time.ts";

/** What is asked for at a time: it is in memory as a whole. */
const rangeBytes = 4 * 1024 * 1024;

/** Projects of tests that were fetched, by account and SHA-256: what was used longest ago goes first. */
export class BundleCache {
  readonly #folder: string;
  readonly #mostBytes: number;
  readonly #holds = new Holds();
  readonly #fetching = new OneAtATime<string>();

  constructor(folder: string, mostBytes: number) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
  }

  /** Keeps a file for as long as it is read. To be called as soon as `get` resolves. */
  hold(file: string): Disposable {
    return this.#holds.hold(file);
  }

  /**
   * The file of a bundle, fetched where it is not there.
   *
   * @throws {AppError} not_found, too_large; unavailable, also where other bytes came
   * @throws the signal's reason
   */
  async get(sha256: string, source: Bundles, signal: AbortSignal): Promise<string> {
    const file = join(this.#folder, `${keyOf(source.accountId, sha256)}.tar.gz`);
    using _held = this.hold(file);
    const find = async (): Promise<string | null> => ((await isTouched(file)) ? file : null);
    return await this.#fetching.get(file, find, () => this.#fetch(sha256, file, source, signal), signal);
  }

  async #fetch(sha256: string, file: string, source: Bundles, signal: AbortSignal): Promise<string> {
    await mkdir(dirname(this.#folder), { recursive: true, mode: 0o711 }); // runs, of another user, are below it
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const beside = join(this.#folder, `${randomUUID()}.new`);
    const target = await open(beside, "wx", 0o600);
    try {
      await fetchTo(target, sha256, source, signal);
      await target.close();
      await rename(beside, file);
    } finally {
      await target.close().catch(() => undefined); // it is closed already
      await rm(beside, { force: true });
    }
    await makeRoom(this.#folder, this.#mostBytes, (path) => path === file || this.#holds.has(path));
    return file;
  }
}

/** Of the account, too: who knows the SHA-256 of another one's project does not have the project. */
function keyOf(accountId: string, sha256: string): string {
  return createHash("sha256")
    .update(JSON.stringify([accountId, sha256]))
    .digest("hex");
}

/** @throws {AppError} too_large, unavailable */
async function fetchTo(target: FileHandle, sha256: string, source: Bundles, signal: AbortSignal): Promise<void> {
  const hash = createHash("sha256");
  let size: number | null = null;
  for (let at = 0; size === null || at < size; ) {
    const part = await source.read(sha256, at, at + rangeBytes - 1, signal);
    size ??= part.size;
    if (size > codeBundleLimits.packedBytes)
      throw new AppError("too_large", `the code bundle has ${size} bytes; at most ${codeBundleLimits.packedBytes} are fetched`);
    const wanted = Math.min(rangeBytes, size - at);
    const isWhole = at === 0 && part.bytes.length === size;
    if (part.size !== size || (part.bytes.length !== wanted && !isWhole))
      throw new AppError(
        "unavailable",
        `the control plane sent ${part.bytes.length} bytes of a code bundle of ${part.size}; at ${at} of ${size} they must be ${wanted}`,
      );
    at += part.bytes.length;
    hash.update(part.bytes);
    await target.writeFile(part.bytes); // where the one before ended
  }
  if (hash.digest("hex") !== sha256) throw new AppError("unavailable", "the code bundle came with other bytes than its name says");
}
