import { randomUUID } from "node:crypto";
import { statfs, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "#daemon/make-folder.ts";
import type { Finding } from "./doctor.ts";
import { Capture } from "./evidence/capture.ts";
import { type IcmpAbility, icmpAbility } from "./net/icmp/icmp-ability.ts";

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

/** Whether ICMP monitors can run, and by what: sockets of their own, or the system's ping. */
export function diagnoseIcmp(): Finding {
  const about = "ICMP";
  if (process.platform !== "linux")
    return { about, verdict: "warn", text: `not examined on ${process.platform}`, next: "run the agent on Linux for ICMP monitors" };
  const { path, advice } = icmpAbility();
  if (advice === null) return { about, verdict: "ok", text: icmpPaths[path] };
  return { about, verdict: "warn", text: icmpPaths[path], next: `only ICMP monitors need it: ${advice}` };
}

/** Whether evidence can have a packet capture; without one the agent does all else. */
export function diagnoseCapture(isWanted: boolean): Finding {
  const about = "capture";
  if (!isWanted) return { about, verdict: "ok", text: "not wanted (EVIDENCE is off)" };
  const capture = new Capture();
  capture.start();
  const { trouble } = capture;
  capture.stop();
  return { about, verdict: "ok", text: trouble === null ? "failures get a packet capture" : `failures get no packet capture: ${trouble}` };
}

const icmpPaths: Readonly<Record<IcmpAbility["path"], string>> = {
  datagram: "ping sockets are open to this user's groups (ping_group_range)",
  raw: "raw sockets are open to this process (CAP_NET_RAW)",
  ping: "the system's ping program may do it (a process for each run: give the agent the right itself for many monitors)",
  none: "this process may send no ICMP",
};

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MB`;
}
