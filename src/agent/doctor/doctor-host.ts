import { randomUUID } from "node:crypto";
import { statfs, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { askHealth, ownUrls } from "#daemon/ask-health.ts";
import { makeFolder } from "#daemon/make-folder.ts";
import type { AgentConfig } from "../config.ts";
import { Capture } from "../evidence/capture.ts";
import { createHealthServer, type HealthSources } from "../health/health-server.ts";
import { memoryLimit, openFilesLimit } from "../host/host-limits.ts";
import { type IcmpAbility, icmpAbility } from "../net/icmp/icmp-ability.ts";
import type { Finding } from "./finding.ts";

const answerLimitMs = 2_000;

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

/** Whether the probes find their port: free, or already that of an agent, as beside a running one in its container. */
export async function diagnoseHealthPort({ host, port }: AgentConfig["health"]): Promise<Finding> {
  const about = "health port";
  if (port === 0) return { about, verdict: "ok", text: "the system chooses a free one (AGENT_HEALTH_PORT is 0)" };
  const probes = createHealthServer({ host, port }, noSources, { warn: () => undefined });
  try {
    await probes.start();
    await probes.stop();
    return { about, verdict: "ok", text: `port ${port} is free` };
  } catch (error) {
    const reply = await askHealth(ownUrls(host, port, "/health"), answerLimitMs);
    if ("text" in reply && isAgent(reply.text)) return { about, verdict: "ok", text: `an agent runs here and answers on port ${port}` };
    const next = "stop the other program, or choose another port by AGENT_HEALTH_PORT, and change the probes with it";
    return { about, verdict: "fail", text: error instanceof Error ? error.message : String(error), next };
  }
}

/** Whether what this cgroup may hold is enough for as many checks at once. */
export function diagnoseMemory(seats: number): Finding {
  const about = "memory";
  const limit = memoryLimit(seats);
  if (limit === null) return { about, verdict: "ok", text: "no limit is set for this container or service" };
  const text = `${megabytes(limit.given)} may be used, and JOB_CONCURRENCY ${seats} needs about ${megabytes(limit.needed)}`;
  if (limit.given >= limit.needed) return { about, verdict: "ok", text };
  return {
    about,
    verdict: "warn",
    text,
    next: "raise the memory limit, or lower JOB_CONCURRENCY: else the kernel may end the agent (exit code 137)",
  };
}

/** Whether as many checks at once find a descriptor for each socket. */
export function diagnoseFiles(seats: number): Finding {
  const about = "open files";
  const limit = openFilesLimit(seats);
  if (limit === null) return { about, verdict: "ok", text: `not examined on ${process.platform}` };
  const text = `${limit.given} may be open, and JOB_CONCURRENCY ${seats} needs about ${limit.needed}`;
  if (limit.given >= limit.needed) return { about, verdict: "ok", text };
  return {
    about,
    verdict: "warn",
    text,
    next: "raise the hard limit (ulimit -n), or lower JOB_CONCURRENCY: else fewer checks run at the same time",
  };
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

const noSources: HealthSources = {
  isReady: () => false,
  isAlive: () => true,
  detail: () => ({}),
  metrics: async () => ({ type: "text/plain", body: "" }),
};

/** By what only an agent's /health says. */
function isAgent(text: string): boolean {
  try {
    return z.object({ agentId: z.string(), ready: z.boolean() }).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MB`;
}
