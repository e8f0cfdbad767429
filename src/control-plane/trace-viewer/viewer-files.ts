import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { guardedWorker, workerPolicy } from "./guarded-worker.ts";
import { viewerPolicy } from "./viewer-policy.ts";

/** A file of Playwright's trace viewer, as browsers get it. */
export interface ViewerFile {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** In a checkout it is where the package has it; the build has put it beside this module. */
const folder = import.meta.url.endsWith(".ts")
  ? join(dirname(createRequire(import.meta.url).resolve("playwright-core/package.json")), "lib/vite/traceViewer")
  : fileURLToPath(new URL("./trace-viewer", import.meta.url));

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".webmanifest": "application/manifest+json",
};
const workerName = "sw.bundle.js";

/** What the viewer is made of, by its path without a slash before it; each file is read when it is asked for first. */
export function createViewerFiles(): (path: string) => ViewerFile | undefined {
  // Its other page watches tests that run.
  const names = new Set(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => extname(name) in types && !name.startsWith("uiMode")),
  );
  const read = new Map<string, ViewerFile>();
  return (path) => {
    if (!names.has(path)) return undefined;
    const file = read.get(path) ?? viewerFile(path, readFileSync(join(folder, path)));
    read.set(path, file);
    return file;
  };
}

function viewerFile(name: string, bytes: Buffer): ViewerFile {
  const type = types[extname(name)] ?? "";
  const body = name === workerName ? Buffer.from(guardedWorker(bytes.toString())) : bytes;
  return { type, body, gzip: gzipSync(body), headers: { ...headersOf(name, body), vary: "accept-encoding" } };
}

/** Names of what never changes hold a hash. */
function headersOf(name: string, body: Buffer): Readonly<Record<string, string>> {
  if (name === workerName) return { "content-security-policy": workerPolicy };
  if (name.endsWith(".html"))
    return { "content-security-policy": viewerPolicy(body.toString()), "cross-origin-opener-policy": "same-origin" };
  return /[.-][\w-]{8}\.\w+$/.test(name) ? { "cache-control": "public, max-age=31536000, immutable" } : {};
}
