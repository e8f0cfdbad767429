import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { echo, httpServer } from "../support/http-servers/http-server.ts";
import { Site } from "../support/site.ts";
import { isCommandLineInstalled, PublicCommandLine } from "./public-command-line.ts";

describe.skipIf(!isCommandLineInstalled())("live results in the public command line", { timeout: 120_000 }, () => {
  const made = new AsyncDisposableStack();
  let site: Site;
  let commandLine: PublicCommandLine;
  let target: string;
  const asked: string[] = [];
  const run = (...args: readonly string[]) => commandLine.runWith({ LIVE_TARGET: target }, ...args);

  beforeAll(async () => {
    const server = await httpServer((request, response) => {
      asked.push(request.url ?? "");
      echo(request, response);
    });
    target = made.use(server).url.replace(/\/$/, "");
    site = made.use(await Site.start());
    await site.agent(await site.location("north")).ready();
    const { id } = await site.api<{ id: string }>("GET", "/v1/accounts/me");
    commandLine = made.use(await PublicCommandLine.in("live-project", { base: site.base, key: site.ownerKey, accountId: id }));
  }, 120_000);
  afterAll(() => made.disposeAsync());

  it("`test` runs what passes with its group and its variables, and ends with 0", async () => {
    const { code, text } = await run("test", "--grep", "^Passes");
    expect(text).toMatch(/1 passed, 1 total/);
    expect(text).toContain(`${site.base}/test-sessions/`);
    expect(code).toBe(0);
  });

  it("`test` tells each failure, and ends with 1", async () => {
    const { code, text } = await run("test", "--verbose");
    expect(text).toMatch(/9 failed, 1 passed, 10 total/);
    expect(text).toContain('status code equals target "404"');
    expect(text).toMatch(/Request Error[^]*ECONNREFUSED/);
    expect(text).toContain('"x-team"');
    expect(text).not.toMatch(/Execution Error|TypeError/);
    expect(code).toBe(1);
  });

  it("`test --reporter json` writes what came of each", async () => {
    const file = join(commandLine.folder, "report.json");
    const env = { LIVE_TARGET: target, CHECKLY_REPORTER_JSON_OUTPUT: file };
    expect((await commandLine.runWith(env, "test", "--grep", "^Passes|refused", "--reporter", "json")).code).toBe(1);
    const { checks, testSessionId } = JSON.parse(await readFile(file, "utf8"));
    expect(checks).toMatchObject([
      { name: "Fails: refused", result: "Fail", checkType: "API", runError: null },
      { name: "Passes", result: "Pass", checkType: "API", durationMilliseconds: expect.any(Number) },
    ]);
    expect(checks[0].link).toContain(`/test-sessions/${testSessionId}/results/`);
  });

  it("`test --retries` tells the attempts", async () => {
    const { code, text } = await run("test", "--grep", "refused", "--retries", "2");
    expect(text.match(/↺ Fails: refused/g)).toHaveLength(2);
    expect([code, text]).toEqual([1, expect.stringMatching(/1 failed, 1 total/)]);
  });

  it("`test --no-record` and `--detach` end with 0, and `--env` reaches the request", async () => {
    expect(await run("test", "--grep", "^Passes", "--no-record")).toMatchObject({
      code: 0,
      text: expect.not.stringContaining("Test session ID"),
    });
    expect(await run("test", "--grep", "refused", "--detach")).toMatchObject({ code: 0, text: expect.stringContaining("Test session ID") });
    expect((await run("test", "--grep", "^Passes", "--env", "WHERE=of-the-command-line")).code).toBe(0);
    expect(asked).toContain("/of-the-command-line");
  });

  it("`test` without a good key, or at a location that there is not, ends with 1 and says why", async () => {
    const wrong = await commandLine.runWith({ LIVE_TARGET: target, CHECKLY_API_KEY: `cu_${"0".repeat(32)}` }, "test");
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringContaining("Authentication failed")]);
    expect((await run("test", "--private-location", "nowhere")).code).not.toBe(0);
  });

  it("`checks run` runs one of them as its schedule would, and ends as it did", async () => {
    expect(await run("deploy", "--force", "--no-schedule-on-deploy")).toMatchObject({ code: 0 });
    const checks = await site.api<{ id: string; name: string }[]>("GET", "/v1/checks");
    const idOf = (wanted: string) => checks.find(({ name }) => name === wanted)?.id ?? "";
    expect(await run("checks", "run", "--check-id", idOf("Passes"))).toMatchObject({ code: 0 });
    expect(await run("checks", "run", "--check-id", idOf("Fails: refused"))).toMatchObject({ code: 1 });
  });

  it("`trigger` runs deployed checks, and ends as they did", async () => {
    expect(await run("deploy", "--force", "--no-schedule-on-deploy")).toMatchObject({ code: 0 });
    const good = await run("trigger", "--tags", "good,live");
    expect([good.code, good.text]).toEqual([0, expect.stringMatching(/1 passed, 1 total/)]);
    const all = await run("trigger", "--tags", "live", "--test-session-name", "All of it");
    expect([all.code, all.text]).toEqual([1, expect.stringMatching(/9 failed, 1 passed, 10 total/)]);
    const none = await run("trigger", "--tags", "nothing");
    expect([none.code, none.text]).toEqual([1, expect.stringContaining("No matching checks were found")]);
    expect((await run("trigger", "--tags", "nothing", "--no-fail-on-no-matching")).code).toBe(0);
  });

  /** Its words, once it has ended with 0. */
  async function done(...args: readonly string[]): Promise<string> {
    const { code, text } = await run(...args);
    expect([args, code, text]).toEqual([args, 0, expect.any(String)]);
    return text;
  }

  it("reads sessions, results, files, channels and statistics", async () => {
    const { entries } = await site.api<{ entries: { id: string; failed: string[] }[] }>("GET", "/v1/test-sessions?statuses=FAILED");
    const { id: session, failed } = one(entries.filter((entry) => entry.failed.length > 0));
    const result = one(failed);
    const channel = await site.api<{ id: number }>("POST", "/v1/alert-channels", {
      type: "EMAIL",
      config: { address: "on-call@example.com" },
    });
    const check = one(await site.api<{ id: string }[]>("GET", "/v1/checks")).id;
    expect(await done("test-sessions", "get", session)).toMatch(/Status: +failed/);
    expect(await done("test-sessions", "get", session, "--result", result)).toContain("Fails");
    await done("assets", "list", "--test-session-id", session, "--result-id", result);
    await done("alert-channels", "get", String(channel.id));
    await done("alert-channels", "logs", String(channel.id));
    await done("checks", "get", check);
    await done("checks", "stats", check);
    await done("checks", "delete", check, "--force");
    expect(await run("checks", "get", check)).toMatchObject({ code: 1 });
  });

  it("looks after status pages and their incidents", async () => {
    const service = await site.api<{ id: string }>("POST", "/v1/status-pages/services", { name: "Checkout" });
    const page = { name: "Shop", url: "shop-page-of-clients", cards: [{ name: "Shop", services: [{ id: service.id }] }] };
    const { id: pageId } = await site.api<{ id: string }>("POST", "/v1/status-pages", page);
    expect(await done("status-pages", "get", pageId)).toContain("Checkout");
    await done("incidents", "create", "--status-page-id", pageId, "--title", "Checkout fails", "--services", service.id, "--force");
    const incident = one((await site.api<{ entries: { id: string }[] }>("GET", "/v1/status-pages/incidents")).entries).id;
    await done("incidents", "update", incident, "--message", "Looking", "--status", "identified", "--severity", "major", "--force");
    await done("incidents", "resolve", incident, "--force");
    const { incidentUpdates } = await site.api<{ incidentUpdates: { status: string }[] }>("GET", `/v1/status-pages/incidents/${incident}`);
    expect(incidentUpdates.map(({ status }) => status)).toContain("RESOLVED");
  });
});

function one<T>([first]: readonly T[]): T {
  if (first === undefined) throw new Error("there is none");
  return first;
}
