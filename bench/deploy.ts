import { loadavg } from "node:os";
import { memoryMb, table } from "./support/processes.ts";
import { type Rest, restOf } from "./support/rest.ts";
import { type EngineName, Site } from "./support/site.ts";

/**
 * How long a deployment of code takes: its preview, the first one, one that changes nothing, one that changes every check, and its end. Each is asked for as the
 * public command line asks, and counted until it has ended. By a control plane in a process of its own, both engines, one after the other.
 *
 *   npm run build && B bench/deploy.ts [resources, 2000] [engines, sqlite,postgres]
 */
const resources = Number(process.argv[2] ?? 2_000);
const engines = (process.argv[3] ?? "sqlite,postgres").split(",") as EngineName[];
const project = { logicalId: "bench", name: "Bench", repoUrl: "https://git.example.com/bench" };

for (const engine of engines) await measure(engine);

async function measure(engine: EngineName): Promise<void> {
  await using site = await Site.make(engine, 0);
  const { process: controlPlane, url } = await site.start();
  await using _controlPlane = controlPlane;
  const rest = restOf(url, site.apiKey);
  const rows: string[][] = [];
  const timed = async (what: string, work: () => Promise<number>): Promise<void> => {
    const startMs = performance.now();
    const changes = await work();
    rows.push([what, String(changes), ((performance.now() - startMs) / 1_000).toFixed(1)]);
  };
  await timed("preview of the first", () => preview(rest, ""));
  await timed("the first", () => deploy(rest, ""));
  await timed("preview, nothing changed", () => preview(rest, ""));
  await timed("nothing changed", () => deploy(rest, ""));
  await timed("every check changed", () => deploy(rest, " changed"));
  await timed("its end", () => destroy(url, site.apiKey, rest));
  const { peak } = memoryMb(controlPlane.pid);
  process.stdout.write(`${engine}: ${resources} resources; peak ${peak.toFixed(0)} MB; load ${loadavg()[0]?.toFixed(1)}\n`);
  process.stdout.write(`${table([["", "changes", "seconds"], ...rows])}\n`);
}

async function preview(rest: Rest, mark: string): Promise<number> {
  const answer = await rest("POST", "/v1/projects/deploy?dryRun=true", bodyOf(mark));
  return (answer as { diff: unknown[] }).diff.length;
}

async function deploy(rest: Rest, mark: string): Promise<number> {
  const begun = await rest("POST", "/v1/projects/deploy?dryRun=false&scheduleOnDeploy=false", bodyOf(mark));
  return ended(rest, (begun as { id: string }).id);
}

async function destroy(url: string, key: string, rest: Rest): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/v1/projects/${project.logicalId}?dryRun=false`, { method: "DELETE", headers });
  return ended(rest, ((await answer.json()) as { id: string }).id);
}

/** Asked again as long as it has not ended: 408. */
async function ended(rest: Rest, id: string): Promise<number> {
  const path = `/v1/projects/${project.logicalId}/deployments/${id}/completion?maxWaitSeconds=30`;
  const asked = rest("GET", path) as Promise<{ status: string; error: unknown; result: { diff: unknown[] } | null }>;
  const answer = await asked.catch((error: Error) => (error.message.includes(": 408 ") ? null : Promise.reject(error)));
  if (answer === null) return ended(rest, id);
  if (answer.status !== "SUCCEEDED" || answer.result === null) throw new Error(`${answer.status}: ${JSON.stringify(answer.error)}`);
  return answer.result.diff.length;
}

/** One in ten a group or a channel, one in ten a subscription, the others checks. @param mark what is new in every check */
function bodyOf(mark: string): object {
  const [channels, groups, subscriptions] = [0.02, 0.08, 0.1].map((share) => Math.round(resources * share)) as [number, number, number];
  const checks = resources - channels - groups - subscriptions;
  return {
    project,
    repoInfo: { commitId: "0123456789abcdef0123456789abcdef01234567", branchName: "main" },
    resources: [
      ...numbers(channels).map((no) => ({
        type: "alert-channel",
        logicalId: `channel-${no}`,
        payload: { type: "WEBHOOK", config: { name: `Hook ${no}`, url: `https://hooks.example.com/${no}`, method: "POST" } },
      })),
      ...numbers(groups).map((no) => ({
        type: "check-group",
        logicalId: `group-${no}`,
        payload: { v: 2, name: `Group ${no}`, tags: [`group-${no}`], locations: ["eu-central-1"], concurrency: 3 },
      })),
      ...numbers(checks).map((no) => check(no, groups, mark)),
      ...numbers(subscriptions).map((no) => ({
        type: "alert-channel-subscription",
        logicalId: `check-alert-channel-subscription#check-${no}#channel-${no % channels}`,
        payload: { checkId: { ref: `check-${no}` }, alertChannelId: { ref: `channel-${no % channels}` }, activated: true },
      })),
    ],
  };
}

function check(no: number, groups: number, mark: string): object {
  return {
    type: "check",
    logicalId: `check-${no}`,
    sourceFile: `checks/group-${no % groups}/check-${no}.check.ts`,
    payload: {
      checkType: "API",
      name: `Check ${no}${mark}`,
      activated: true,
      muted: false,
      frequency: 10,
      tags: ["bench", `team-${no % 12}`],
      groupId: { ref: `group-${no % groups}` },
      locations: ["eu-central-1", "eu-west-1"],
      retryStrategy: { type: "FIXED", baseBackoffSeconds: 60, maxRetries: 2, maxDurationSeconds: 600, sameRegion: true },
      request: {
        method: "GET",
        url: `https://shop.example.com/items/${no}`,
        headers: [{ key: "accept", value: "application/json" }],
        assertions: [
          { source: "STATUS_CODE", comparison: "EQUALS", target: "200" },
          { source: "JSON_BODY", property: "$.items[0].price", comparison: "GREATER_THAN", target: "0" },
        ],
      },
    },
  };
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
