import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createAgent } from "../../../src/agent/agent.ts";
import { systemDeps } from "../../../src/agent/agent-parts.ts";
import { readAgentConfig } from "../../../src/agent/config.ts";
import { errorGroupIdOf } from "../../../src/control-plane/kinds/ids.ts";
import { type StoredAnalysis, storedAnalysis } from "../../../src/control-plane/root-causes/stored-analysis.ts";
import type { AnalysedGroup } from "../../../src/control-plane/storage/storage.ts";
import type { Answer } from "../call.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";

/** A control plane with real agents in this process, whose checks look at real servers. */
export interface FailingSite extends ControlPlaneUnderTest {
  /** Makes a private location. @returns a key for its agents */
  readonly location: (slugName: string, more?: object) => Promise<string>;
  /** Starts an agent there. */
  readonly agent: (key: string, env?: Readonly<Record<string, string>>) => Promise<AsyncDisposable>;
  /** @param kind as its address in REST has it: `api`, `dns` … @returns its id */
  readonly make: (kind: string, body: object) => Promise<string>;
  /** Runs checks once at each of their locations, and waits for the end. */
  readonly run: (...checkIds: readonly string[]) => Promise<void>;
  /** Asks over REST why a check fails, or, as it stands, why it is degraded or not pinged, and waits for the answer. */
  readonly why: (checkId: string, of?: "error" | "standing", userContext?: string) => Promise<Why>;
}

export interface Why {
  readonly stored: StoredAnalysis;
  /** As REST tells it. */
  readonly told: Answer["body"];
}

export async function failingSite(env: Readonly<Record<string, string>> = {}): Promise<FailingSite> {
  const plane = await controlPlaneUnderTest({ AGENT_POLL_WAIT_SECONDS: "5", ...env });
  const api = async (method: string, path: string, body?: object) => {
    const answer = await plane.call(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  return {
    ...plane,
    async location(slugName, more = {}) {
      return (await api("POST", "/v1/private-locations", { name: slugName, slugName, ...more })).keys[0].rawKey;
    },
    agent: (key, more = {}) => startAgent(plane.base, key, more),
    async make(kind, body) {
      const rest = { privateLocations: ["north"], runParallel: true, frequency: 1440, retryStrategy: null };
      return (await api("POST", `/v1/checks/${kind}`, { name: "Shop", ...rest, ...body })).id;
    },
    async run(...checkId) {
      const { sessions } = await api("POST", "/v2/check-sessions/trigger", { target: { checkId } });
      for (const { checkSessionId } of sessions)
        await eventually(async () => (await api("GET", `/v2/check-sessions/${checkSessionId}`)).stoppedAt !== null);
    },
    async why(checkId, of = "error", userContext = "") {
      const [subject, path] = await (of === "error" ? errorOf(api, checkId) : standingOf(plane, checkId));
      // What an alert asked for by itself is answered here, too, and may be older than what the test did since.
      await eventually(async () => (await plane.context.storage.analyses.latest(plane.account.id, subject))?.status !== "PENDING");
      const { id } = await api("POST", `/v1/root-cause-analyses/${path}`, { userContext });
      const told = await eventually(async () => {
        const answer = await api("GET", `/v1/root-cause-analyses/${id}`);
        return answer.status === "COMPLETED" && answer;
      });
      const row = await plane.context.storage.analyses.find(plane.account.id, id);
      const stored = storedAnalysis(row?.completed?.analysis);
      if (stored === undefined) throw new Error("the analysis is stored in no known form");
      return { stored, told };
    },
  };
}

async function errorOf(
  api: (method: string, path: string) => Promise<Answer["body"]>,
  checkId: string,
): Promise<readonly [AnalysedGroup, string]> {
  const [group] = await api("GET", `/v1/error-groups/checks/${checkId}?limit=1`);
  const errorGroupId = group === undefined ? undefined : errorGroupIdOf(group.id);
  if (errorGroupId === undefined) throw new Error("the check has no error");
  return [{ errorGroupId, testFailureGroupId: null }, `error-groups/${group.id}`];
}

async function standingOf({ context, account }: ControlPlaneUnderTest, checkId: string): Promise<readonly [AnalysedGroup, string]> {
  const [known] = await context.storage.checkIndex.byUuids(account.id, [checkId]);
  if (known === undefined) throw new Error("there is no such check");
  return [{ errorGroupId: null, testFailureGroupId: null, checkId: known.id }, `checks/${checkId}`];
}

async function startAgent(base: string, key: string, env: Readonly<Record<string, string>>): Promise<AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-causes-"));
  const own = {
    AGENT_HEALTH_PORT: "0",
    AGENT_HEALTH_HOST: "127.0.0.1",
    DATA_DIR: folder,
    TARGET_ALLOW_CIDR: "127.0.0.0/8",
    BROWSER_CONCURRENCY: "0",
    MULTI_STEP_CONCURRENCY: "0",
    SUITE_CONCURRENCY: "0",
    EVIDENCE: "off",
  };
  const config = readAgentConfig({ API_KEY: key, API_URL: base, ...own, ...env });
  const agent = createAgent(config, systemDeps(config, pino({ level: "silent" })));
  await agent.start();
  return {
    async [Symbol.asyncDispose]() {
      await agent.stop(2_000);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
