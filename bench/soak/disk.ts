import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

/** A file system of its own in memory, which can be full. It goes with the mount namespace of this process. */
export class Disk {
  readonly folder: string;
  readonly #ballast: string;

  constructor(folder: string, megabytes: number) {
    this.folder = folder;
    this.#ballast = join(folder, "ballast");
    mkdirSync(folder, { recursive: true });
    must("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", folder]);
  }

  /** What other programs free of it meanwhile is theirs again. */
  async fill(): Promise<void> {
    const file = await open(this.#ballast, "a");
    try {
      for (const block of [Buffer.alloc(16 * 1024 * 1024), Buffer.alloc(4_096)]) await writeUntilFull(file, block);
    } finally {
      await file.close();
    }
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  remove(): void {
    must("umount", ["--lazy", this.folder]);
  }
}

async function writeUntilFull(file: FileHandle, block: Buffer): Promise<void> {
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

function must(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${String(stderr)}`);
}
