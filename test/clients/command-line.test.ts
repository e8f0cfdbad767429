import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { isCommandLineInstalled, PublicCommandLine, type Ran } from "./public-command-line.ts";

describe.skipIf(!isCommandLineInstalled())("the public command line", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let commandLine: PublicCommandLine;
  const run = (...args: readonly string[]): Promise<Ran> => commandLine.run(...args);
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    commandLine = await PublicCommandLine.in("project", { base: plane.base, key: plane.ownerKey, accountId: plane.account.uuid });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await commandLine[Symbol.asyncDispose]();
  });

  const read = [
    ["whoami"],
    ["runtimes"],
    ["validate"],
    ["env", "ls"],
    ["account", "plan"],
    ["account", "usage", "terms"],
    ["account", "usage", "summary"],
    ["account", "usage", "series"],
    ["members"],
    ["test-sessions", "list"],
    ["incidents", "list"],
  ] as const;
  it.each(read.map((args) => ({ args })))("answers $args", async ({ args }) => {
    expect(await run(...args)).toMatchObject({ code: 0 });
  });

  it("deploys a project with every construct, previewed first, changes nothing the second time, and destroys it", async () => {
    const preview = await run("deploy", "--preview");
    expect(preview).toMatchObject({ code: 0, text: expect.stringContaining("ApiCheck: api") });
    expect((await plane.call("GET", "/v1/checks")).body).toEqual([]);
    const first = await run("deploy", "--force", "--output");
    expect(first).toMatchObject({ code: 0, text: expect.stringContaining("Successfully deployed") });
    expect(first.text).toContain("Ping URL of heartbeat check");
    const checks = (await plane.call("GET", "/v1/checks?limit=100")).body;
    expect(checks).toHaveLength(11);
    const api = checks.find(({ name }: { readonly name: string }) => name === "API");
    expect(api).toMatchObject({
      degradedResponseTime: 2000,
      alertChannelSubscriptions: { length: 8 },
      retryStrategy: { onlyOn: ["NETWORK_ERROR"] },
    });
    const second = await run("deploy", "--force", "--output");
    expect(second).toMatchObject({ code: 0, text: expect.not.stringMatching(/^(Create|Update|Delete).*:$/m) });

    // What somebody changed by hand becomes what the code says.
    await plane.call("PUT", `/v1/checks/${api.id}`, { body: { name: "By hand" } });
    const third = await run("deploy", "--force", "--output");
    expect(third.text).toMatch(/Update and Unchanged:|Update:/);
    expect((await plane.call("GET", `/v1/checks/${api.id}`)).body.name).toBe("API");

    for (const args of [
      ["env", "add", "REGION", "eu"],
      ["env", "update", "REGION", "us", "--locked"],
      ["env", "ls"],
      ["env", "rm", "REGION", "--force"],
      ["checks", "list"],
      ["checks", "get", api.id],
      ["checks", "stats"],
      ["alert-channels", "list"],
      ["status-pages", "list"],
      ["api", "/v1/checks"],
    ])
      expect([args, await run(...args)]).toMatchObject([args, { code: 0 }]);
    expect(await run("api", "/v1/nothing")).toMatchObject({ code: 1 });
    expect(await run("env", "rm", "REGION", "--force")).toMatchObject({ code: 1 });
    expect(await run("destroy", "--force")).toMatchObject({ code: 0 });
    expect((await plane.call("GET", "/v1/checks")).body).toEqual([]);
    expect((await plane.call("GET", "/v1/alert-channels")).body).toEqual([]);
    expect((await plane.call("GET", "/next/projects")).body).toEqual([]);
  });

  it("brings the pictures that stand beside a script, and tells figures of checks of every type", async () => {
    const folder = join(commandLine.folder, "__checks__/shop.spec.js-snapshots");
    await mkdir(folder, { recursive: true });
    const picture = Buffer.from("89504e470d0a1a0a0102", "hex");
    await writeFile(join(folder, "front-chromium-linux.png"), picture);
    expect(await run("deploy", "--force")).toMatchObject({ code: 0 });
    const checks: readonly { readonly id: string; readonly checkType: string; readonly snapshots?: unknown }[] = (
      await plane.call("GET", "/v1/checks?limit=100")
    ).body;
    const named = checks.flatMap(({ snapshots }) => (Array.isArray(snapshots) ? (snapshots as { key: string; path: string }[]) : []));
    expect(named.map(({ path }) => path)).toEqual(["__checks__/shop.spec.js-snapshots/front-chromium-linux.png"]);
    const body = { key: named[0]?.key };
    const back = await plane.call("POST", "/next/checkly-storage/download", { body });
    expect([back.status, back.text]).toEqual([200, picture.toString()]);
    const ofTypes = new Map(checks.map(({ checkType, id }) => [checkType, id]));
    for (const [type, id] of ofTypes) expect([type, await run("checks", "stats", id)]).toMatchObject([type, { code: 0 }]);
    expect(await run("destroy", "--force")).toMatchObject({ code: 0 });
  });

  it("takes objects that there are into a project: planned, applied, deployed, committed", async () => {
    const check = await plane.call("POST", "/v1/checks/url", {
      body: { name: "Front page", request: { url: "https://shop.example.com/" }, locations: ["eu-central-1"], tags: ["by-hand"] },
    });
    const project = { projectName: "Taken over", logicalId: "taken-over", checks: { checkMatch: "**/*.check.ts" } };
    await using other = await PublicCommandLine.in("live-project", {
      base: plane.base,
      key: plane.ownerKey,
      accountId: plane.account.uuid,
    });
    await rm(join(other.folder, "__checks__"), { recursive: true });
    await writeFile(join(other.folder, "checkly.config.js"), `export default ${JSON.stringify(project)};\n`);
    await plane.call("POST", "/next/projects", { body: { name: project.projectName, logicalId: project.logicalId } });
    const planned = await other.run("import", "plan", `check:${check.body.id}`);
    expect(planned).toMatchObject({ code: 0, text: expect.stringContaining("Your import plan has been created") });
    const [plan] = (await plane.call("GET", "/next/projects/taken-over/imports?onlyUnapplied=true")).body;
    expect(await other.run("import", "apply", "--plan-id", plan.id)).toMatchObject({ code: 0 });
    const deployed = await other.run("deploy", "--force", "--output");
    expect(deployed).toMatchObject({ code: 0, text: expect.stringContaining("Successfully deployed") });
    expect((await plane.call("GET", "/v1/checks")).body).toMatchObject([{ id: check.body.id, name: "Front page", tags: ["by-hand"] }]);
    expect(await other.run("import", "commit", "--plan-id", plan.id, "--force")).toMatchObject({ code: 0 });
    expect(await other.run("destroy", "--force")).toMatchObject({ code: 0 });
    expect((await plane.call("GET", "/v1/checks")).body).toEqual([]);
  });
});
