import { randomUUID } from "node:crypto";
import { readFile, statfs, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "#daemon/make-folder.ts";
import type { Finding } from "./doctor.ts";

/** Bit of CAP_NET_RAW in the capability sets of proc(5) status. */
const capNetRaw = 13n;

/** Whether results can wait on disk while the control plane is away. */
export async function diagnoseOutbox(folder: string, limitBytes: number): Promise<Finding> {
  const about = "outbox";
  const probe = join(folder, `probe-${randomUUID()}`);
  try {
    await makeFolder(folder);
    await writeFile(probe, "x".repeat(4096), { flush: true });
    await unlink(probe);
    const { bavail, bsize } = await statfs(folder);
    const freeBytes = bavail * bsize;
    if (freeBytes >= limitBytes) return { about, verdict: "ok", text: `${folder} can be written, ${megabytes(freeBytes)} free` };
    const text = `${folder} has ${megabytes(freeBytes)} free, less than the outbox may take (${megabytes(limitBytes)})`;
    return { about, verdict: "warn", text, next: "free some space, give it a larger volume, or lower OUTBOX_MAX_MB" };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const next =
      "checks run all the same, but results would be lost with the process: make the folder writable for this user, or set OUTBOX_DIR";
    return { about, verdict: "warn", text: `${folder} cannot be written (${code})`, next };
  }
}

/** Whether ping checks can send: datagram ICMP sockets by group, or raw ones by capability. Needs no privilege to find out. */
export async function diagnoseIcmp(): Promise<Finding> {
  const about = "ICMP";
  if (process.platform !== "linux")
    return { about, verdict: "warn", text: `not examined on ${process.platform}`, next: "run the agent on Linux for ICMP monitors" };
  const range = await readFile("/proc/sys/net/ipv4/ping_group_range", "utf8").catch(() => "1 0");
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const [low = 1, high = 0] = range.trim().split(/\s+/).map(Number);
  const groups = process.getgroups?.() ?? [];
  if (groups.some((group) => group >= low && group <= high))
    return { about, verdict: "ok", text: `ping sockets are open to this user's groups (${low} to ${high})` };
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  if ((effective >> capNetRaw) & 1n) return { about, verdict: "ok", text: "raw sockets are open to this process (CAP_NET_RAW)" };
  const next =
    'only ICMP monitors need it: set net.ipv4.ping_group_range="0 2147483647" for the host or container, or add the capability NET_RAW';
  return { about, verdict: "warn", text: "this process may send no ICMP", next };
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MB`;
}
