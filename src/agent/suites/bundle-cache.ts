import { createHash } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeBundleLimits } from "#contract/code-bundles.ts";
import { AppError } from "#domain/app-error.ts";
import type { Bundles } from "../runners/check-runner.ts";
import { isTouched, makeRoom } from "./make-room.ts";
import { OneAtATime } from "./one-at-a-time.ts";

/** What is asked for at a time: it is in memory as a whole. */
const rangeBytes = 4 * 1024 * 1024;

/** Projects of tests that were fetched, by their SHA-256: what was used longest ago goes first. */
export class BundleCache {
  readonly #folder: string;
  readonly #mostBytes: number;
  readonly #fetching = new OneAtATime<string>();

  constructor(folder: string, mostBytes: number) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
  }

  /**
   * The file of a bundle, fetched where it is not there.
   *
   * @throws {AppError} not_found, unavailable; invalid_input where it is another one
   * @throws the signal's reason
   */
  async get(sha256: string, source: Bundles, signal: AbortSignal): Promise<string> {
    const file = join(this.#folder, `${sha256}.tar.gz`);
    const find = async (): Promise<string | null> => ((await isTouched(file)) ? file : null);
    return this.#fetching.get(sha256, find, () => this.#fetch(sha256, file, source, signal), signal);
  }

  async #fetch(sha256: string, file: string, source: Bundles, signal: AbortSignal): Promise<string> {
    await mkdir(dirname(this.#folder), { recursive: true, mode: 0o711 }); // runs, of another user, are below it
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const beside = `${file}.${process.pid}.new`;
    const hash = createHash("sha256");
    const target = await open(beside, "w", 0o600);
    try {
      for (let at = 0, size = 1; at < size; ) {
        const part = await source.read(sha256, at, at + rangeBytes - 1, signal);
        if (part.bytes.length === 0) throw new AppError("unavailable", "the control plane sent an empty part of the code bundle");
        size = part.size;
        if (size > codeBundleLimits.packedBytes)
          throw new AppError("too_large", `the code bundle has ${size} bytes; at most ${codeBundleLimits.packedBytes} are fetched`);
        at += part.bytes.length;
        hash.update(part.bytes);
        await target.write(part.bytes);
      }
      if (hash.digest("hex") !== sha256) throw new AppError("invalid_input", "the code bundle came with other bytes than its name says");
      await target.close();
      await rename(beside, file);
    } finally {
      await target.close().catch(() => undefined); // it is closed already
      await rm(beside, { force: true });
    }
    await makeRoom(this.#folder, this.#mostBytes, (path) => path === file);
    return file;
  }
}
