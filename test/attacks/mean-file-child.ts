import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scrubFile } from "../../src/agent/scrub/scrub-file.ts";
import { meanFiles } from "./mean-files.ts";

/* Scrubs one of the files as an agent does, and tells what that cost this process in all its threads. */

const folder = mkdtempSync(join(tmpdir(), "mean-file-"));
const signal = new AbortController().signal;
const from = join(folder, "file");
const secrets = ["a-real-secret-91"];

async function verdictOf(content: Buffer, to: string): Promise<string> {
  writeFileSync(from, content);
  const verdict = await scrubFile({ from, to: join(folder, to), secrets, signal });
  return verdict.is === "withheld" ? `withheld: ${verdict.reason}` : verdict.is;
}

await verdictOf(Buffer.alloc(200_000, "a line to start the thread\n"), "first");
const content = meanFiles[process.argv[2] ?? ""]?.() ?? Buffer.alloc(0);
writeFileSync(from, content);
const before = process.cpuUsage();
const verdict = await verdictOf(content, "second");
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ verdict, cpuMs: (user + system) / 1_000 })}\n`);
rmSync(folder, { recursive: true });
process.exit(0);
