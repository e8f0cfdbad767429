import { readFileSync, readlinkSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { OutboxFiles } from "./outbox-files.ts";

const ownerFile = "owner.json";
/** An owner in another PID namespace cannot be looked up; it is taken for gone when its mark is older than this. */
const markStaleMs = 20_000;

/** Which process a folder belongs to. A pid alone is reused; with its start and the boot it is not. */
const Owner = z.object({ pid: z.number(), startedAt: z.string(), boot: z.string(), pidNamespace: z.string() });
type Owner = z.output<typeof Owner>;

/**
 * One process's folder inside the outbox folder, so that several agents can share it without any setting. Node.js
 * has no file locks: the owner is known by pid, start time and boot, and across containers by a mark that is touched.
 */
export interface OutboxFolder {
  readonly path: string;
  /** Makes it again, if somebody removed it. */
  ensure(): Promise<void>;
  /** Tells other processes that this one lives. Call it every few seconds. */
  mark(): Promise<void>;
  /** What dead processes left behind, moved into this folder one by one: each goes to exactly one taker. */
  adoptOrphans(): Promise<string[]>;
  /** Removes the folder, if nothing of worth is left in it. */
  leave(): Promise<void>;
}

const isSegmentName = (name: string): boolean => /^(final|attempt)-\d+-[0-9a-f]+-\d+\.seg$/.test(name);

/**
 * @param isContent tells by its name what is of worth in such a folder: a file, or a folder of its own
 * @throws the disk's error
 */
export async function openOutboxFolder(
  files: OutboxFiles,
  root: string,
  agentId: string,
  isContent: (name: string) => boolean = isSegmentName,
): Promise<OutboxFolder> {
  const path = join(root, `agent-${agentId}`);
  const unborn = join(root, `new-${agentId}`); // a folder under its real name always has its owner in it
  await files.makeFolder(unborn);
  await files.write(join(unborn, ownerFile), JSON.stringify(thisProcess()));
  await files.move(unborn, path);
  return {
    path,
    async ensure() {
      await files.makeFolder(path);
      await files.write(join(path, ownerFile), JSON.stringify(thisProcess()));
    },
    mark: () => files.touch(join(path, ownerFile)),
    async adoptOrphans() {
      const adopted: string[] = [];
      for (const name of await files.list(root)) {
        const folder = join(root, name);
        if (!name.startsWith("agent-") || folder === path || (await isAlive(files, folder))) continue;
        adopted.push(...(await takeContent(files, folder, path, isContent)));
      }
      return adopted.toSorted();
    },
    async leave() {
      if ((await files.list(path)).some(isContent)) return;
      await removeFolder(files, path);
    },
  };
}

async function takeContent(files: OutboxFiles, from: string, to: string, isContent: (name: string) => boolean): Promise<string[]> {
  const taken: string[] = [];
  for (const name of (await files.list(from).catch(() => [])).filter(isContent)) {
    const target = join(to, name);
    const isOurs = await files.move(join(from, name), target).then(
      () => true,
      () => false,
    );
    if (isOurs) taken.push(target);
  }
  await removeFolder(files, from).catch(() => undefined);
  return taken;
}

async function removeFolder(files: OutboxFiles, path: string): Promise<void> {
  await files.remove(join(path, ownerFile)).catch(() => undefined);
  await files.removeFolder(path);
}

async function isAlive(files: OutboxFiles, folder: string): Promise<boolean> {
  const markedMs = await stat(join(folder, ownerFile)).then(
    (found) => found.mtimeMs,
    () => 0,
  );
  const isMarked = Date.now() - markedMs < markStaleMs;
  const owner = await readOwner(files, folder);
  const self = thisProcess();
  if (owner === null || owner.pidNamespace !== self.pidNamespace || owner.boot !== self.boot) return isMarked;
  if (owner.pid === self.pid) return owner.startedAt === self.startedAt;
  return startOf(owner.pid) === owner.startedAt;
}

async function readOwner(files: OutboxFiles, folder: string): Promise<Owner | null> {
  try {
    return Owner.parse(JSON.parse((await files.read(join(folder, ownerFile))).toString("utf8")));
  } catch {
    return null;
  }
}

function thisProcess(): Owner {
  return {
    pid: process.pid,
    startedAt: startOf(process.pid) ?? "",
    boot: bootId(),
    pidNamespace: orEmpty(() => readlinkSync("/proc/self/ns/pid")),
  };
}

/** Start of a process in clock ticks since boot (field 22 of proc(5) stat); without /proc "alive" is all there is to know. */
function startOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return process.platform === "linux" ? null : aliveWithoutProc(pid);
  }
}

function aliveWithoutProc(pid: number): string | null {
  try {
    process.kill(pid, 0);
    return "";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM" ? "" : null;
  }
}

function bootId(): string {
  return orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
