import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Why captures cannot be read back here, or null. */
export const noTshark: string | null = existsSync("/usr/bin/tshark") ? null : "tshark is not installed";

/** Reads a capture (base64) back: a line per packet that the filter lets through, with these fields. */
export async function tshark(pcap: string | null, filter: string, fields: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "capture-"));
  try {
    const file = join(folder, "capture.pcap");
    writeFileSync(file, Buffer.from(pcap ?? "", "base64"));
    const words = ["-n", "-r", file, "-Y", filter, "-T", "fields", ...fields.flatMap((field) => ["-e", field])];
    const { stdout } = await promisify(execFile)("tshark", words, { timeout: 15_000 });
    return stdout.split("\n").filter((line) => line !== "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
