import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserOfCode } from "#contract/agent-baselines.ts";
import { createEgressPolicy } from "../../../src/agent/net/egress-policy.ts";
import { createStubResolver } from "../../../src/agent/net/stub-resolver.ts";
import type { BaselineList, BaselinePicture, Baselines, RunContext } from "../../../src/agent/runners/check-runner.ts";
import { createPlaywrightRunner } from "../../../src/agent/script-checks/playwright-runner.ts";
import type { SettingsOf } from "../../../src/contract/checks/index.ts";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { playwrightRuntime } from "../../support/playwright-runtime.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

const script = `const { expect, test } = require("@playwright/test");
test("the shop", async ({ page }) => {
  await page.goto(process.env.URL + "/");
  await expect(page).toHaveScreenshot("front.png");
  await expect(page.getByRole("heading")).toHaveScreenshot();
});
if (process.env.FAILS) test("fails", () => expect(1).toBe(2));`;

/** Keeps pictures in memory, as the control plane does in its store. */
class Kept implements Baselines {
  pictures: BaselinePicture[] = [];
  isAway = false;
  isCodeNamed = false;
  list(): Promise<BaselineList> {
    const { pictures: baselines, isCodeNamed } = this;
    return this.isAway ? Promise.reject(new Error("away")) : Promise.resolve({ baselines, isCodeNamed });
  }
  read({ browser, name }: { readonly browser: number; readonly name: string }): Promise<string> {
    return Promise.resolve(this.pictures.find((one) => one.browser === browser && one.name === name)?.data ?? "");
  }
  keep(picture: BaselinePicture): Promise<void> {
    this.pictures.push(picture);
    return Promise.resolve();
  }
}

describe.skipIf(missing !== null)("screenshots that are compared", () => {
  let tested: EngineUnderTest;
  let server: HttpServer;
  let colour = "green";
  beforeAll(async () => {
    server = await httpServer((_request, response) => {
      response.setHeader("content-type", "text/html").end(`<body style="background: ${colour}"><h1>Shop</h1>`);
    });
    tested = await EngineUnderTest.start();
  });
  afterAll(async () => {
    await tested[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  function run(kept: Kept, environment: Record<string, string> = {}) {
    const surroundings = { runtimeId: playwrightRuntime, environment: { URL: server.url, ...environment }, snippets: {}, secrets: [] };
    const context: RunContext = {
      signal: new AbortController().signal,
      monotonicMs: () => performance.now(),
      proxyUrl: null,
      userAgent: "Outpost/test",
      resolver: createStubResolver(),
      egress: createEgressPolicy({ allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [] }),
      script: surroundings,
      baselines: kept,
    };
    return createPlaywrightRunner("BROWSER", tested.engine).run({ script } as SettingsOf<"BROWSER">, context);
  }

  it("are the first ones, then compared, and shown beside each other where they differ", async () => {
    const kept = new Kept();
    colour = "green";
    const first = await run(kept);
    expect([first.outcome, first.result.errors]).toEqual(["passed", []]);
    expect(first.result.tests.map(({ status }) => status)).toEqual(["passed"]);
    expect(first.result.jobLog.map(({ msg }) => msg)).toContain(
      "there was no picture to compare with for 2 of the screenshots: these are the first ones",
    );
    expect(kept.pictures.map(({ name }) => name)).toEqual(["check.spec.ts/the-shop/front.png", "check.spec.ts/the-shop/the-shop-1.png"]);
    const before = structuredClone(kept.pictures);

    const same = await run(kept);
    expect([same.outcome, same.result.jobLog, kept.pictures]).toEqual(["passed", [], before]);

    colour = "red";
    const other = await run(kept);
    expect([other.outcome, kept.pictures]).toEqual(["failed", before]);
    expect(other.result.errors[0]).toMatchObject({ screenshot: "screenshot-the-shop.png" });
    expect(other.result.errors[0]?.message).not.toContain("The browser changed");
    const names = other.files?.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["front-expected.png", "front-actual.png", "front-diff.png"]));
  });

  it("are compared with those of the browser before, and the failure says so", async () => {
    const kept = new Kept();
    colour = "green";
    await run(kept);
    kept.pictures = kept.pictures.map((picture) => ({ ...picture, browser: picture.browser - 1 }));
    const before = structuredClone(kept.pictures);
    expect([(await run(kept)).outcome, kept.pictures]).toEqual(["passed", before]);
    colour = "red";
    const { outcome, result } = await run(kept);
    expect(outcome).toBe("failed");
    expect(result.errors[0]?.message).toMatch(/^The browser changed from \d+ to \d+ since the picture was taken: update snapshots/);
  });

  it("are taken under the names that code has them by, and those that came with the code win over those that were kept", async () => {
    const kept = new Kept();
    kept.isCodeNamed = true;
    colour = "green";
    expect((await run(kept)).outcome).toBe("passed");
    const names = ["check.spec.ts-snapshots/front-linux.png", "check.spec.ts-snapshots/the-shop-1-linux.png"];
    expect(kept.pictures.map(({ name }) => name)).toEqual(names);
    const [front, heading] = kept.pictures as [BaselinePicture, BaselinePicture];
    // A picture of code under the name of one that a browser before left, and one of that browser beside it.
    kept.pictures = [
      { ...front, browser: browserOfCode },
      { ...front, data: heading.data },
      { ...heading, browser: heading.browser - 1 },
    ];
    const before = structuredClone(kept.pictures);
    expect([(await run(kept)).outcome, kept.pictures]).toEqual(["passed", before]);
    colour = "red";
    const { outcome, result } = await run(kept);
    expect([outcome, result.errors.length > 0, kept.pictures]).toEqual(["failed", true, before]);
  });

  it("keep no picture of a run that failed, and pass nothing where the kept ones cannot be had", async () => {
    const kept = new Kept();
    colour = "green";
    const failed = await run(kept, { FAILS: "1" });
    expect([failed.outcome, kept.pictures]).toEqual(["failed", []]);
    expect(failed.result.tests.map(({ status }) => status)).toEqual(["passed", "failed"]);
    kept.isAway = true;
    await expect(run(kept)).rejects.toMatchObject({ code: "unavailable" });
  });
});
