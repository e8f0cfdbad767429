import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";

const packages = resolve(import.meta.dirname, "node_modules");
const program = join(packages, "checkly/bin/run.cjs");
const isInstalled = existsSync(program);
if (!isInstalled) {
  process.stdout.write("Tests of the public command line are skipped: npm ci --prefix test/clients --ignore-scripts installs it\n");
}

interface Ran {
  readonly code: number;
  readonly text: string;
}

/** The program as it comes from its registry, told by its own variables where this control plane is. */
describe.skipIf(!isInstalled)("the public command line", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let folder: string;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    folder = await mkdtemp(join(tmpdir(), "outpost-project-"));
    await cp(resolve(import.meta.dirname, "project"), folder, { recursive: true });
    await symlink(packages, join(folder, "node_modules"));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  function run(...args: readonly string[]): Promise<Ran> {
    const env = {
      PATH: process.env["PATH"],
      HOME: folder,
      CI: "1",
      CHECKLY_ENV: "local",
      CHECKLY_API_URL: plane.base,
      CHECKLY_MQTT_URL: `${plane.base.replace("http", "ws")}/mqtt`,
      CHECKLY_NO_DOTENV: "1",
      CHECKLY_API_KEY: plane.ownerKey,
      CHECKLY_ACCOUNT_ID: plane.account.uuid,
    };
    return new Promise((done) => {
      execFile(process.execPath, [program, ...args], { cwd: folder, env, timeout: 110_000 }, (error, out, err) => {
        done({ code: error === null ? 0 : Number(error.code ?? -1), text: `${out}\n${err}` });
      });
    });
  }

  const read = [
    ["whoami"],
    ["runtimes"],
    ["validate"],
    ["env", "ls"],
    ["account", "plan"],
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
      ["checks", "list"],
      ["checks", "get", api.id],
      ["checks", "stats"],
      ["alert-channels", "list"],
      ["status-pages", "list"],
      ["api", "/v1/checks"],
    ])
      expect([args, await run(...args)]).toMatchObject([args, { code: 0 }]);
    expect(await run("api", "/v1/nothing")).toMatchObject({ code: 1 });
    expect(await run("destroy", "--force")).toMatchObject({ code: 0 });
    expect((await plane.call("GET", "/v1/checks")).body).toEqual([]);
    expect((await plane.call("GET", "/v1/alert-channels")).body).toEqual([]);
    expect((await plane.call("GET", "/next/projects")).body).toEqual([]);
  });
});
