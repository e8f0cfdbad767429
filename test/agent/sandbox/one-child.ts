import { join } from "node:path";
import { EgressProxy } from "../../../src/agent/egress/egress-proxy.ts";
import { createTrust } from "../../../src/agent/net/tls.ts";
import { nodePath } from "../../../src/agent/runtimes/runtime-manifest.ts";
import { type Confinement, launchOf, type ScriptRuntime } from "../../../src/agent/sandbox/launch.ts";
import { knownFlags } from "../../../src/agent/sandbox/node-flags.ts";
import { ScriptChild } from "../../../src/agent/sandbox/script-child.ts";
import { scriptLimits } from "../../../src/agent/sandbox/script-limits.ts";
import type { ScriptRuntime as InstalledRuntime } from "../../support/script-runtime.ts";
import { emptyPhase, openNetwork } from "./sandbox-under-test.ts";

/** Without what Node.js does against attacks (`isRaw`), or with it. */
export interface Kept {
  readonly level: Confinement["level"];
  readonly isRaw: boolean;
}

export async function runtimeIn({ folder, runtimeId }: InstalledRuntime): Promise<ScriptRuntime> {
  const home = join(folder, runtimeId);
  const node = join(home, nodePath);
  return { id: runtimeId, folder: home, node, flags: await knownFlags(node) };
}

/** One script in one process of this very user; what it wrote into the request's body, or how it ended. */
export async function saidAlone(runtime: ScriptRuntime, { level, isRaw }: Kept, code: string, env: object): Promise<string> {
  const egress = await EgressProxy.open();
  const launch = launchOf(runtime, { level, user: null, idleBytes: null }, scriptLimits, egress.port, !isRaw);
  const child = new ScriptChild(launch, scriptLimits, egress);
  try {
    const problem = await child.ready();
    if (problem !== null) return problem;
    const { request } = emptyPhase(runtime.id);
    const order = { scripts: [{ code, isModule: false }], snippets: {}, env, request, response: null };
    const outcome = await child.run(order, 1, { ...openNetwork(), trust: () => createTrust([]) }, AbortSignal.timeout(20_000));
    const body = outcome.how === "answered" && "request" in outcome.end ? outcome.end.request.body : undefined;
    return typeof body === "string" ? body : outcome.how;
  } finally {
    await child.close();
  }
}
