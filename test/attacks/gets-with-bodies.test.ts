import { request } from "node:http";
import { describe, expect } from "vitest";
import { agentOperations, operations } from "#contract/operations.ts";
import { FakeAgent } from "../control-plane/fake-agent.ts";
import { Site } from "../support/site.ts";
import { attack } from "./attack.ts";

const id = "00000000-0000-4000-8000-000000000001";
const pages =
  `/ /sign-in /sign-in/sso /set-up /join /join/x /join/x/sso /docs /openapi.json /nowhere /health /-/liveness /-/readiness /metrics
  /ping/${id} /dashboards/x /dashboards/x/style.css /status/x /account /accounts /alerts /audit /certificates /channels /channels/new /checks
  /checks/new /checks/${id} /checks/${id}/code /checks/${id}/edit /incidents /incidents/new /keys /live/checks /locations /maintenance
  /maintenance/new /members /pages /profile /snippets /test-sessions /variables`.split(/\s+/);
const limits = ["ANALYTICS", "ALERT_NOTIFICATIONS", "DASHBOARDS", "LOCATION_METRICS", "TRIGGERS", "PINGS", "UNKNOWN_PINGS", "WRONG_KEYS"];
const unlimited = Object.fromEntries(limits.map((name) => [`RATE_LIMIT_${name}`, "1000000/60"]));
const operationPaths = [...operations, ...agentOperations]
  .filter(({ method }) => method === "GET")
  .map(({ path, access }) => ({ path: path.replaceAll(/\{\w+\}/g, id), access }));

/** @returns the status @throws when there was no answer */
function statusOf(url: string, body: string | null, headers: Readonly<Record<string, string>>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(url, { method: "GET", agent: false, headers }, (answer) => {
    resolve(answer.statusCode ?? 0);
    answer.destroy(); // `/live/…` would go on
  }).on("error", reject);
  if (body === null) sent.end();
  else sent.setHeader("content-length", Buffer.byteLength(body)).end(body);
  return promise;
}

describe("requests to read", { timeout: 120_000 }, () => {
  attack("A5", "every GET with a content encoding and no body, or one that is none, with and without a key", async (held) => {
    await using site = await Site.start({ env: unlimited });
    const { session } = await FakeAgent.open(site.base, await site.location("berlin"));
    const keyOf = (access: string): string => (access === "agent-session" ? session.sessionToken : site.ownerKey);
    const requests = [...operationPaths, ...pages.map((path) => ({ path, access: "public" }))];
    const failed: string[] = [];
    let sent = 0;
    for (const { path, access } of requests)
      for (const encoding of ["gzip", "deflate", "br"])
        for (const body of [null, "", "this is no gzip"])
          for (const authorization of [{}, { authorization: `Bearer ${keyOf(access)}` }]) {
            const headers = { "content-type": "application/json", "content-encoding": encoding, ...authorization };
            sent += 1;
            const what = `${path}, ${encoding}, ${JSON.stringify(body)}`;
            const status = await statusOf(site.base + path, body, headers).catch((cause: unknown) => {
              throw new Error(`${what}: no answer`, { cause });
            });
            if (status >= 500) failed.push(`${what}: ${status}`);
          }
    expect(failed).toEqual([]);
    expect((await fetch(`${site.base}/health`)).status).toBe(200);
    expect(site.controlPlane.logLines().filter(({ level }) => level === "error")).toEqual([]);
    held("what a GET brings is not unpacked", `${sent} requests to ${requests.length} addresses`);
  });
});
