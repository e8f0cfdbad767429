import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimeCatalog } from "#contract/runtime-catalog.ts";
import { scripts } from "../../contract/bodies.ts";
import { enginesUnderTest } from "../../support/engines.ts";
import type { Answer } from "../call.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent } from "../fake-agent.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("checks that are a script, on $name", (engine) => {
  let plane: ControlPlaneUnderTest;
  let locationKey: string;
  beforeAll(async () => {
    const url = await engine.databaseUrl();
    plane = await controlPlaneUnderTest({ SECRETS_READABLE: "write", ...(url !== undefined && { DATABASE_URL: url }) });
    locationKey = await plane.locationKey("ap-east-1");
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = (checkType: string, body: object, path = "/v1/checks"): Promise<Answer> =>
    plane.call("POST", path, { body: { checkType, name: `a ${checkType}`, locations: ["eu-west-1", "us-east-1"], ...body } });

  it("have a form of their own where clients know one, which the form for all types reads and changes too", async () => {
    for (const [path, type] of [
      ["browser", "BROWSER"],
      ["multistep", "MULTI_STEP"],
    ] as const) {
      const { status, body } = await create(type, { script: "1" }, `/v1/checks/${path}`);
      expect([status, body.checkType]).toEqual([201, type]);
      expect((await plane.call("PUT", `/v1/checks/${path}/${body.id}`, { body: { script: "2" } })).body.script).toBe("2");
      expect((await plane.call("PUT", `/v1/checks/${body.id}`, { body: { script: "3" } })).body.script).toBe("3");
      const refused = await plane.call("POST", `/v1/checks/${path}`, { body: { name: "no script", locations: ["eu-west-1"] } });
      expect([refused.status, refused.body.attributes.issues[0].path]).toEqual([400, "script"]);
      const often = await create(type, { script: "1", frequency: 0 }, `/v1/checks/${path}`);
      expect([often.status, often.body.attributes.issues[0].path]).toEqual([400, "frequency"]);
    }
  });

  it("never tell the value of a secret variable, and keep it until another one is given", async () => {
    const variables = [
      { key: "TOKEN", value: "s3cr3t-value", secret: true },
      { key: "USER", value: "ada", locked: true },
    ];
    const { body } = await create("BROWSER", { script: "1", environmentVariables: variables });
    const shown = [
      { key: "TOKEN", value: null, locked: false, secret: true },
      { key: "USER", value: "ada", locked: true, secret: false },
    ];
    expect(body.environmentVariables).toEqual(shown);
    const stored = async () => (await plane.context.storage.checks.byUuid(plane.account.id, body.id))?.definition["environmentVariables"];
    const sealed = async (): Promise<string> => (((await stored()) as { sealed?: string }[])[0]?.sealed ?? "") as string;
    expect(JSON.stringify(await stored())).not.toContain("s3cr3t");
    const place = { kind: "check", accountId: plane.account.id, row: body.id, field: "environmentVariables.TOKEN" };
    const opened = async () => plane.controlPlane.sealing.unseal(await sealed(), place);
    const put = (environmentVariables: unknown) => plane.call("PUT", `/v1/checks/${body.id}`, { body: { environmentVariables } });
    await plane.call("PUT", `/v1/checks/browser/${body.id}`, { body: { muted: true } });
    expect(await opened()).toBe("s3cr3t-value");
    expect((await put(shown)).body.environmentVariables).toEqual(shown);
    expect(await opened()).toBe("s3cr3t-value");
    await put([{ ...shown[0], value: "another" }]);
    expect(await opened()).toBe("another");
    const lost = await put([
      { key: "USER", value: "ada" },
      { key: "TOKEN", value: null, secret: false },
    ]);
    expect([lost.status, lost.body.message]).toEqual([400, expect.stringContaining('environmentVariables[1].value" must be a new value')]);
    expect(await opened()).toBe("another");
    const before = await sealed();
    expect((await put([{ key: "TOKEN", value: "********", secret: true }])).status).toBe(200);
    expect(await sealed()).toBe(before);
    for (const variable of [
      { key: "TOKEN", value: "********", secret: false },
      { key: "NEW", value: "********", secret: true },
    ]) {
      expect((await put([variable])).body.attributes.issues).toMatchObject([{ path: "environmentVariables[0].value" }]);
    }
    expect((await put([{ key: "TOKEN", value: "open", secret: false }])).body.environmentVariables[0].value).toBe("open");
    expect(await sealed()).toBe("");
    expect((await put(null)).body.environmentVariables).toBeNull();
  });

  it("show the files of a script only to who asks for them", async () => {
    const dependencies = [{ path: "lib/login.ts", content: "export {}" }];
    const { body } = await create("MULTI_STEP", { script: "1", dependencies });
    expect(body).not.toHaveProperty("dependencies");
    expect((await plane.call("GET", `/v1/checks/${body.id}`)).body).not.toHaveProperty("dependencies");
    expect((await plane.call("GET", `/v2/checks/${body.id}?includeDependencies=true`)).body.dependencies).toEqual(dependencies);
    await plane.call("PUT", `/v1/checks/${body.id}`, { body });
    expect((await plane.call("GET", `/v3/checks/${body.id}?includeDependencies=true`)).body.dependencies).toEqual(dependencies);
  });

  it.each<readonly [string, object, string]>([
    ["a script of spaces", { script: " \n " }, "script"],
    ["a script that is too long", { script: "x".repeat(262_145) }, "script"],
    ["a path out of the folder", { scriptPath: "../check.spec.ts" }, "scriptPath"],
    ["a path from the root", { scriptPath: "/etc/check.spec.ts" }, "scriptPath"],
    ["a folder", { scriptPath: "tests/" }, "scriptPath"],
    ["a file out of the folder", { dependencies: [{ path: "lib/../../x.js", content: "1" }] }, "dependencies[0].path"],
    ["a path of Windows", { dependencies: [{ path: "C:\\x.js", content: "1" }] }, "dependencies[0].path"],
    [
      "a file that is there twice",
      {
        dependencies: [
          { path: "a.js", content: "1" },
          { path: "./a.js", content: "2" },
        ],
      },
      "dependencies[1].path",
    ],
    ["a file in the script's place", { scriptPath: "a.ts", dependencies: [{ path: "a.ts", content: "1" }] }, "dependencies[0].path"],
    ...["NODE_OPTIONS", "PLAYWRIGHT_BROWSERS_PATH", "PW_TEST", "LD_PRELOAD", "OUTPOST_KEY", "1ST", "A-B"].map(
      (key) => [`a variable named ${key}`, { environmentVariables: [{ key, value: "x" }] }, "environmentVariables[0].key"] as const,
    ),
    [
      "201 variables",
      { environmentVariables: Array.from({ length: 201 }, (_, index) => ({ key: `V${index}`, value: "x" })) },
      "environmentVariables",
    ],
    ["a runtime that nobody knows", { runtimeId: "2031.01" }, "runtimeId"],
  ])("refuse %s", async (_title, given, path) => {
    for (const type of ["BROWSER", "MULTI_STEP"] as const) {
      const { status, body } = await create(type, { script: scripts[type], ...given });
      expect([status, body.attributes.issues[0].path]).toEqual([400, path]);
    }
  });

  it.each(runtimeCatalog.map(({ name, multiStepSupport }) => [name, multiStepSupport] as const))(
    "run on %s where it knows them",
    async (runtimeId, isAble) => {
      const { status, body } = await create("MULTI_STEP", { script: "1", runtimeId });
      expect(status).toBe(isAble ? 201 : 400);
      const refusal = `"runtimeId" must be one that runs multistep checks: 2026.04, 2025.04, 2024.09, 2024.02, 2023.09; received ${runtimeId}`;
      expect(body.message ?? refusal).toBe(refusal);
      expect((await create("BROWSER", { script: "1", runtimeId })).status).toBe(201);
    },
  );

  it("go to an agent that asks for their type on their runtime, with what their group says", async () => {
    const group = { name: "Shop", browserCheckDefaults: "const shop = 1;", environmentVariables: [{ key: "SHOP", value: "https://a" }] };
    const { body: made } = await plane.call("POST", "/v1/check-groups", { body: { ...group, locations: ["ap-east-1"] } });
    await plane.call("POST", "/v1/snippets", { body: { name: "login", script: "export const login = 1;" } });
    const checks = await Promise.all(
      (["BROWSER", "MULTI_STEP"] as const).map((type) =>
        create(type, { script: "import './snippets/login'; shop;", runtimeId: "2025.04", groupId: made.id, frequency: 1440 }),
      ),
    );
    const agent = await FakeAgent.open(plane.base, locationKey, { checkTypes: ["BROWSER", "MULTI_STEP"], runtimes: ["2026.04"] });
    for (const { body } of checks) await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: body.id } } });
    const lease = async (body: object) => (await agent.send("POST", "/jobs/lease", { max: 10, waitSeconds: 0, ...body })).body;
    expect(await lease({})).toEqual({ jobs: [] });
    expect(await lease({ checkTypes: ["BROWSER"], runtimes: ["2026.04"] })).toEqual({ jobs: [] });
    const browsers = await lease({ checkTypes: ["BROWSER"], runtimes: ["2025.04"] });
    const variables = [{ key: "SHOP", value: "https://a", isSecret: false }];
    const material = { setup: [], teardown: [], snippets: { login: "export const login = 1;" }, variables };
    expect(browsers.jobs.map(({ payload }: { payload: object }) => payload)).toMatchObject([
      { checkType: "BROWSER", runtimeId: "2025.04", settings: { script: "const shop = 1;\nimport './snippets/login'; shop;" }, material },
    ]);
    const others = await lease({ checkTypes: ["MULTI_STEP", "API"], runtimes: ["2025.04"] });
    expect(others.jobs.map(({ payload }: { payload: object }) => payload)).toMatchObject([
      { checkType: "MULTI_STEP", settings: { script: "import './snippets/login'; shop;" }, material },
    ]);
  });

  it("keep the first pictures of their screenshots for the agent that runs them, until a trigger asks for new ones", async () => {
    const { body } = await create("BROWSER", { script: "1", locations: ["ap-east-1"], frequency: 1440 });
    const able = { checkTypes: ["BROWSER"], runtimes: ["2026.04"], sandboxLevel: 2 };
    const agent = await FakeAgent.open(plane.base, locationKey, able);
    const run = async (more: object = {}): Promise<{ readonly jobId: string; readonly fence: number }> => {
      const triggered = { target: { checkId: body.id }, ...more };
      expect((await plane.call("POST", "/v1/check-sessions/trigger", { body: triggered })).status).toBe(201);
      const [job] = await agent.lease(1, 5);
      return { jobId: job!.jobId, fence: job!.fence };
    };
    const named = async (job: object): Promise<unknown> => (await agent.send("POST", "/baselines/list", job)).body.baselines;
    const picture = { browser: 156, name: "check.spec.ts/a-test/front.png" };
    const data = Buffer.from("a picture").toString("base64");

    const first = await run();
    expect(await named(first)).toEqual([]);
    expect((await agent.send("POST", "/baselines/keep", { ...first, ...picture, data })).status).toBe(200);
    const second = await run();
    expect(await named(second)).toEqual([{ ...picture, writtenAt: expect.any(Number) as number }]);
    expect((await agent.send("POST", "/baselines/read", { ...second, ...picture })).body).toEqual({ data });
    expect((await agent.send("POST", "/baselines/read", { ...second, ...picture, browser: 155 })).status).toBe(404);
    for (const name of ["../a.png", "a/../b.png", "/a.png", "a.txt", "a//b.png"])
      expect((await agent.send("POST", "/baselines/keep", { ...second, ...picture, name, data })).status).toBe(400);

    const stranger = await FakeAgent.open(plane.base, locationKey, able);
    for (const path of ["/baselines/list", "/baselines/read", "/baselines/keep"])
      expect((await stranger.send("POST", path, { ...second, ...picture, data })).status).toBe(409);

    expect(await named(await run({ updateSnapshots: true }))).toEqual([]);
  });
});
