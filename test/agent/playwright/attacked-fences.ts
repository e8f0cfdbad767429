import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FenceTest, testFences } from "../../../src/agent/playwright/self-test.ts";
import { nobody } from "../../../src/agent/sandbox/negotiate-level.ts";
import { makeTargets } from "../../../src/agent/sandbox/self-test.ts";
import { browserPath } from "../../support/playwright-runtime.ts";
import { runtimeFolder } from "./engine-under-test.ts";

/** What attacks on the fences of this process's user come to. */
export async function attacked(folder = mkdtempSync(join(tmpdir(), "outpost-fences-"))): Promise<FenceTest> {
  chmodSync(folder, 0o711); // or it is not the fence that keeps others out
  await using targets = await makeTargets([tmpdir()]);
  if (targets === null) throw new Error("nothing can be written");
  const user = process.getuid?.() === 0 ? nobody : null;
  const parts = { runtimeFolder, node: join(runtimeFolder, "bin/node"), user, ffmpeg: null, toolsFolder: "/usr/share/fonts" };
  try {
    return await testFences(parts, browserPath, targets, join(folder, "browser"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
