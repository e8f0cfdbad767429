import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CatalogRuntime } from "#contract/runtime-catalog.ts";
import type { Env } from "#daemon/env.ts";
import { lockModule } from "./lock-module.ts";
import { resolvePackages } from "./resolve-packages.ts";
import { lockFrom } from "./runtime-lock.ts";

/** Resolves a runtime's packages as the registry has them today. @returns the source file of the new lock */
export async function lockRuntime(
  runtime: CatalogRuntime,
  { env, signal }: { readonly env: Env; readonly signal: AbortSignal },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "outpost-lock-"));
  try {
    const nothing = (): void => {};
    const { lock } = await resolvePackages(runtime, null, folder, { env, signal, onAnswer: nothing, onLeftOut: nothing });
    return lockModule(runtime.name, lockFrom(lock));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
