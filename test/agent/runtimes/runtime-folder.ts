import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RuntimeManifest } from "../../../src/agent/runtimes/runtime-manifest.ts";

/** A runtime's folder as an install leaves it; its Node.js says its version and can nothing else. */
export function runtimeFolder(folder: string, id: string, more: Partial<RuntimeManifest> = {}): string {
  const path = join(folder, id);
  const manifest: RuntimeManifest = {
    format: 1,
    runtimeId: id,
    platform: `${process.platform}-${process.arch}`,
    nodeJsVersion: "24.13.1",
    catalogNodeJsVersion: "24.13.1",
    lock: "off",
    packages: { left: "1.0.0" },
    unlocked: [],
    leftOut: [],
    withoutMain: [],
    files: 3,
    bytes: 3_000_000,
    ...more,
  };
  for (const name of ["bin", "node_modules/left"]) mkdirSync(join(path, name), { recursive: true });
  writeFileSync(join(path, "runtime.json"), JSON.stringify(manifest));
  writeFileSync(join(path, "node_modules/left/package.json"), "{}");
  writeFileSync(join(path, "bin/node"), "#!/bin/sh\necho v24.13.1\n");
  chmodSync(join(path, "bin/node"), 0o755);
  return path;
}
