import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent/agent.ts";
import { systemDeps, withPlaywright } from "../../src/agent/agent-parts.ts";
import { readAgentConfig } from "../../src/agent/config.ts";
import type { PlaywrightEngine } from "../../src/agent/playwright/playwright-engine.ts";
import type { AssetManifest } from "../../src/contract/check-results.ts";
import { smallEngine } from "../agent/script-checks/small-engine.ts";
import { httpServer } from "../support/http-servers/http-server.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const secret = "s3cr3t-of-the-shop";

/** A whole agent in this process, with two seats for multistep checks, one for browser checks and one for all else. */
async function agentWith(engine: PlaywrightEngine, site: Site, key: string): Promise<AsyncDisposable> {
  const seats = { JOB_CONCURRENCY: "1", BROWSER_CONCURRENCY: "1", MULTI_STEP_CONCURRENCY: "2" };
  const own = {
    AGENT_HEALTH_PORT: "0",
    AGENT_HEALTH_HOST: "127.0.0.1",
    DATA_DIR: join(site.folder, "scripts"),
    TARGET_ALLOW_CIDR: "127.0.0.0/8",
  };
  const config = readAgentConfig({ API_KEY: key, API_URL: site.base, ...seats, ...own });
  const agent = createAgent(config, withPlaywright(systemDeps(config, pino({ level: "silent" })), engine));
  await agent.start();
  return { [Symbol.asyncDispose]: async () => void (await agent.stop(2_000)) };
}

describe("checks that are a script, from REST to a result", () => {
  it("run on seats of their own, and leave their files without secrets; a probe waits for none of them", async () => {
    const gate = Promise.withResolvers<void>();
    const file = (name: string, contentType: string) =>
      ({ name, type: "file", contentType, content: Buffer.from(`told ${secret}`) }) as const;
    const engine = smallEngine(async ({ type }, signal) => {
      if (type === "BROWSER") await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      return { outcome: "failed", files: [file("console.txt", "text/plain")] };
    });
    await using server = await httpServer((_request, response) => response.end("ok"));
    await using site = await Site.start();
    await using _agent = await agentWith(engine, site, await site.location("north"));
    const variables = [{ key: "TOKEN", value: secret, secret: true }];
    const script = {
      privateLocations: ["north"],
      frequency: 1440,
      retryStrategy: null,
      script: "process.env.TOKEN",
      environmentVariables: variables,
    };
    const [first, second] = await Promise.all(
      ["a", "b"].map((name) => site.api<{ id: string }>("POST", "/v1/checks/browser", { name, ...script })),
    );
    const chain = await site.api<{ id: string }>("POST", "/v1/checks/multistep", { name: "c", ...script });
    const probe = await site.check(server.url, ["north"]);
    const browsers = [...(await site.trigger(first!.id)), ...(await site.trigger(second!.id))];
    await until("a busy browser", () => Promise.resolve(engine.tasks.length > 0), 20_000);

    const others = [...(await site.trigger(probe)), ...(await site.trigger(chain.id))];
    const ended = await Promise.all(others.map((session) => site.ended(session)));
    expect(ended.map(({ status }) => status)).toEqual(["PASSED", "FAILED"]);
    expect(engine.tasks.filter(({ type }) => type === "BROWSER")).toHaveLength(1);
    gate.resolve();
    for (const session of browsers) expect((await site.ended(session)).status).toBe("FAILED");

    const [result] = await site.results(first!.id);
    expect(result).toMatchObject({ hasFailures: true, responseTime: 1_000, multiStepCheckResult: null });
    expect(result?.browserCheckResult).toMatchObject({
      type: "PLAYWRIGHT_TEST",
      jobAssets: ["console.txt"],
      tests: [{ status: "failed" }],
    });
    expect(result?.errorMessage).toMatch(
      /^the shop takes an order: order a book: expect\(received\)\.toBe failed: expected 200, received 503$/,
    );
    const folder = `/v1/check-results/${first!.id}/${result?.id}/assets`;
    const assets = async () => (await site.api<AssetManifest>("GET", folder)).assets;
    await until("the file", async () => (await assets()).some(({ name }) => name === "console.txt"), 20_000);
    expect(await (await site.fetch(`${folder}/console.txt`)).text()).toBe("told ********");
    expect(engine.tasks[0]).toMatchObject({ runtimeId: "2026.04", environment: { TOKEN: secret } });
  }, 90_000);
});
