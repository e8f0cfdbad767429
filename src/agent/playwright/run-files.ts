import { constants } from "node:fs";
import { lstat, open, realpath, rename } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { FoundFile } from "../runners/check-runner.ts";
import type { Report, ToldTest } from "./told.ts";

const mostFiles = 60;
const mostFileBytes = 50 * 1024 * 1024;

/** What is written of a run (`evidence-files.ts`): nothing that a test attached has these names. */
export const evidenceNames = { report: "report.json", console: "console.ndjson", network: "network.har" } as const;

/** A file of a run, where it has no folder of a run any more. */
export interface KeptFile extends FoundFile {
  readonly kind: "trace" | "screenshot" | "comparison" | "video" | "other";
  /** Index of its test. */
  readonly test: number;
}

/**
 * The files that tests attached, moved out of the run's folder. Their paths were written by the run: only regular files that lie in its
 * folder are taken.
 */
export async function takeFiles(report: Report, runFolder: string, keptFolder: string): Promise<KeptFile[]> {
  const found: KeptFile[] = [];
  const names = new Set<string>(Object.values(evidenceNames));
  for (const [index, test] of report.tests.entries()) {
    for (const attachment of test.attachments) {
      if (found.length >= mostFiles || !(await isOwn(attachment.path, runFolder))) continue;
      const kind = kindOf(attachment);
      if (kind === "trace" && !(await isWholeZip(attachment.path))) continue; // the disk was full: the run's errors say so
      const name = freeName(names, nameOf(kind, test, attachment));
      const file = join(keptFolder, `${basename(join(runFolder, ".."))}-${name}`);
      await rename(await realpath(attachment.path), file);
      found.push({ name, kind, test: index, type: assetTypes[kind], contentType: contentTypeOf(name), content: { file } });
    }
  }
  return found;
}

/** The beginning of a file that a run wrote; empty where it is none. */
export async function readBeginning(path: string, most: number): Promise<string> {
  return (await readBytes(path, most, "beginning")).toString();
}

export async function readBytes(path: string, most: number, part: "beginning" | "end"): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return Buffer.alloc(0);
  try {
    const found = await file.stat();
    if (!found.isFile()) return Buffer.alloc(0);
    const from = part === "end" ? Math.max(0, found.size - most) : 0;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const assetTypes = { trace: "trace", screenshot: "screenshot", comparison: "screenshot", video: "video", other: "file" } as const;
const contentTypes: Readonly<Record<string, string>> = {
  ".json": "application/json",
  ".png": "image/png",
  ".txt": "text/plain",
  ".webm": "video/webm",
  ".zip": "application/zip",
};

function kindOf({ name, contentType }: ToldTest["attachments"][number]): KeptFile["kind"] {
  if (name === "trace" && contentType === "application/zip") return "trace";
  if (contentType.startsWith("image/")) return /-(?:expected|actual|diff)\.png$/.test(name) ? "comparison" : "screenshot";
  return contentType.startsWith("video/") ? "video" : "other";
}

function nameOf(kind: KeptFile["kind"], { title, retry }: ToldTest, { name, path }: ToldTest["attachments"][number]): string {
  if (kind === "other") return slug(basename(path));
  if (kind === "comparison") return slug(name);
  return `${kind}-${slug(title).slice(0, 36)}${retry > 0 ? `-${retry}` : ""}${{ trace: ".zip", screenshot: ".png", video: ".webm" }[kind]}`;
}

/** As the control plane takes names of files; of a long one the end counts, with its kind. */
function slug(text: string): string {
  const plain = text.toLowerCase().replace(/[^a-z0-9.-]+/g, "-");
  return plain.slice(-50).replace(/^[-.]+|-+$/g, "") || "file";
}

function freeName(names: Set<string>, wanted: string): string {
  const extension = extname(wanted);
  let name = wanted;
  for (let count = 2; names.has(name); count += 1) name = `${wanted.slice(0, wanted.length - extension.length)}-${count}${extension}`;
  names.add(name);
  return name;
}

function contentTypeOf(name: string): string {
  return contentTypes[extname(name)] ?? "application/octet-stream";
}

const endOfZip = Buffer.from("PK\x05\x06", "latin1");
const endBytes = 22;

/** Whether it has its list of files, which is written last; Playwright writes no comment after it. */
async function isWholeZip(path: string): Promise<boolean> {
  return (await readBytes(path, endBytes, "end")).indexOf(endOfZip) === 0;
}

async function isOwn(path: string, runFolder: string): Promise<boolean> {
  try {
    const [real, folder] = [await realpath(path), await realpath(runFolder)];
    const about = await lstat(real);
    return real.startsWith(`${folder}/`) && about.isFile() && about.nlink === 1 && about.size <= mostFileBytes;
  } catch {
    return false;
  }
}
