import { type LogLine, OutpostProcess } from "../support/processes.ts";
import { temporaryFolder } from "./agent-under-test.ts";

/** An agent as a process, with its probes. */
export interface ProbedAgent extends AsyncDisposable {
  readonly process: OutpostProcess;
  readonly probe: (path: string) => Promise<{ status: number; text: string }>;
  readonly health: () => Promise<Record<string, unknown> & { outbox: { mode: string } }>;
  readonly warnings: () => LogLine[];
}

/** `outpost agent` whose probes answer; whether it gets further is what a test is about. */
export async function probedAgent(env: Record<string, string>, through: readonly string[] = []): Promise<ProbedAgent> {
  const folder = temporaryFolder();
  const host = env["AGENT_HEALTH_HOST"] ?? "127.0.0.1";
  const process = new OutpostProcess(
    ["agent"],
    {
      API_KEY: `pl_${"0".repeat(32)}`,
      AGENT_HEALTH_PORT: "0",
      AGENT_HEALTH_HOST: host,
      DATA_DIR: folder.path,
      SHUTDOWN_GRACE_SECONDS: "2",
      ...env,
    },
    folder.path,
    through,
  );
  const { healthPort } = await process.logged("agent started");
  const probe = async (path: string): Promise<{ status: number; text: string }> => {
    const reply = await fetch(`http://127.0.0.1:${String(healthPort)}${path}`);
    return { status: reply.status, text: await reply.text() };
  };
  return {
    process,
    probe,
    health: async () => JSON.parse((await probe("/health")).text) as Awaited<ReturnType<ProbedAgent["health"]>>,
    warnings: () => process.logLines().filter(({ level }) => level === "warn" || level === "error"),
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
