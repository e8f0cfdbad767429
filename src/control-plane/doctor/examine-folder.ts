import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, stat, statfs, unlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { ControlPlaneConfig } from "../config.ts";
import type { Examined, Finding } from "./finding.ts";

const about = "data folder";
const gigabyte = 1_073_741_824;
/** Below it a start with a larger log, or a few minutes of results, may not find its place. */
const leastBytes = gigabyte / 8;

/** Linux' numbers of file systems (statfs(2)); the rest has no name here. */
const fileSystems: ReadonlyMap<number, string> = new Map([
  [0xef53, "ext4"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0x2fc12fc1, "zfs"],
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "SMB"],
  [0x65735546, "FUSE"],
  [0x01021994, "tmpfs"],
  [0x794c7630, "overlay"],
]);

/** Whether what is kept in files has a place: writable, with space, on a file system that lasts. */
export async function examineFolder(config: ControlPlaneConfig): Promise<Examined> {
  const { dataDir } = config;
  const keeps = keptIn(config);
  if (keeps.length === 0)
    return { findings: [{ about, verdict: "ok", text: "nothing is kept in one: database, keys and artifacts are elsewhere" }] };
  const found = await stat(dataDir).catch(() => null);
  if (found === null) return { findings: [await missing(dataDir)] };
  const failure = await writeFailure(dataDir);
  if (failure !== null) return { findings: [unwritable(dataDir, failure)] };
  return { findings: [await spaceOf(dataDir, keeps, config.databaseUrl === null)] };
}

function keptIn({ databaseUrl, keyPepper, encryptionKey, artifactStore }: ControlPlaneConfig): readonly string[] {
  return [
    ...(databaseUrl === null ? ["the database"] : []),
    ...(keyPepper === null ? ["the pepper"] : []),
    ...(encryptionKey === null ? ["the encryption key"] : []),
    ...(artifactStore.kind === "folder" ? ["artifacts"] : []),
  ];
}

/** The first start makes it, which the doctor leaves to it. */
async function missing(dataDir: string): Promise<Finding> {
  try {
    let parent = dirname(resolve(dataDir));
    while ((await stat(parent).catch(() => null)) === null && parent !== dirname(parent)) parent = dirname(parent);
    if (!(await stat(parent)).isDirectory()) return unwritable(dataDir, "ENOTDIR");
    await access(parent, constants.W_OK);
    return { about, verdict: "ok", text: `${dataDir} is not there yet; the first start makes it` };
  } catch (error) {
    return unwritable(dataDir, codeOf(error));
  }
}

async function writeFailure(folder: string): Promise<string | null> {
  const probe = join(folder, `.doctor-${randomUUID()}`);
  try {
    await writeFile(probe, "x".repeat(4096), { flush: true, mode: 0o600 });
    await unlink(probe);
    return null;
  } catch (error) {
    await unlink(probe).catch(() => undefined); // a full disk takes the name, and not what stands in it
    return codeOf(error);
  }
}

function unwritable(dataDir: string, code: string): Finding {
  const full = code === "ENOSPC" || code === "EDQUOT";
  const next = full
    ? "free some space, or give it a larger volume"
    : "set DATA_DIR to a folder that the control plane's user can write, or change the owner of this one";
  return { about, verdict: "fail", text: `${dataDir} cannot be written (${code})`, next };
}

async function spaceOf(dataDir: string, keeps: readonly string[], hasDatabase: boolean): Promise<Finding> {
  const { bavail, blocks, bsize, type } = await statfs(dataDir);
  const [free, whole] = [bavail * bsize, blocks * bsize];
  const system = fileSystems.get(Number(type) >>> 0) ?? "another file system";
  const text = `${dataDir} holds ${keeps.join(", ")}; it can be written, ${sizeText(free)} of ${sizeText(whole)} are free (${system})`;
  const more = "free some space, give it a larger volume, or keep less: RESULTS_KEEP_DAYS, DETAILS_KEEP_DAYS";
  if (free < leastBytes) return { about, verdict: "fail", text, next: more };
  const trouble = systemTrouble(system, hasDatabase);
  if (trouble !== null) return { about, verdict: "warn", text, next: trouble };
  if (free < Math.min(gigabyte, whole / 20)) return { about, verdict: "warn", text, next: more };
  return { about, verdict: "ok", text };
}

function systemTrouble(system: string, hasDatabase: boolean): string | null {
  if (system === "tmpfs") return "this is memory, which is lost with the machine or the container: name a folder on a disk";
  if (system === "overlay") return "this is the container's own layer, which is lost with the container: mount a volume there";
  if (hasDatabase && ["NFS", "SMB", "FUSE"].includes(system))
    return "SQLite needs locks and shared memory that this file system may lack: use a local disk, or PostgreSQL";
  return null;
}

function sizeText(bytes: number): string {
  return bytes >= gigabyte ? `${(bytes / gigabyte).toFixed(1)} GB` : `${Math.floor(bytes / 1_048_576)} MB`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
