import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunProgress } from "../../../src/contract/run-progress.ts";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

describe.skipIf(missing !== null)("a run that somebody looks on", { timeout: 120_000 }, () => {
  let made: EngineUnderTest;
  let target: HttpServer;
  beforeAll(async () => {
    target = await httpServer((_request, response) => response.setHeader("content-type", "text/html").end("<h1>The Book of Tides</h1>"));
    made = await EngineUnderTest.start();
  }, 120_000);
  afterAll(async () => {
    await made?.[Symbol.asyncDispose]();
    await target?.[Symbol.asyncDispose]();
  });

  async function watched(type: "BROWSER" | "MULTI_STEP", script: string) {
    const told: RunProgress[] = [];
    const run = await made.run(type, script, { keepsAll: true, onProgress: (progress) => told.push(RunProgress.parse(progress)) });
    return { told, run };
  }

  it("tells its step, its log and the page as it is, and none of that becomes part of the test", async () => {
    const { told, run } = await watched(
      "BROWSER",
      `const { test } = require("@playwright/test");
      test("a visitor reads", async ({ page }) => {
        await page.goto("${target.url}");
        await test.step("looks around", async () => {
          console.log("looking");
          await page.waitForTimeout(4_000);
        });
      });
      test("another", async () => {});`,
    );
    expect(run.outcome).toBe("passed");
    expect(told[0]).toEqual({ phase: "starting", testsDone: 0, step: null, log: [], picture: null });
    expect(told.map(({ phase }) => phase)).toContain("testing");
    expect(told.at(-1)?.phase).toBe("collecting");
    const looking = told.find(({ step }) => step?.startsWith("a visitor reads › looks around"));
    expect(looking?.log.map(({ msg }) => msg)).toContain("looking");
    const pictures = told.flatMap(({ picture }) => picture ?? []);
    expect(
      Buffer.from(pictures[0] ?? "", "base64")
        .subarray(0, 3)
        .toString("hex"),
    ).toBe("ffd8ff");
    const { steps, errors, jobLog } = run.result;
    expect([errors, jobLog.filter(({ level }) => level !== "INFO")]).toEqual([[], []]);
    expect(steps.filter(({ title }) => /session|capture|screenshot/i.test(title))).toEqual([]);
  });

  it("tells steps of requests without a browser", async () => {
    const { told } = await watched(
      "MULTI_STEP",
      `const { test } = require("@playwright/test");
      test("order", async ({ request }) => {
        await test.step("waits for the shop", async () => {
          await request.get("${target.url}");
          await new Promise((resolve) => setTimeout(resolve, 2_500));
        });
      });`,
    );
    expect(told.map(({ step }) => step)).toContainEqual(expect.stringMatching(/^order › waits for the shop/));
    expect(told.every(({ picture }) => picture === null)).toBe(true);
  });

  it("shows no page where no pictures are wanted", async () => {
    await using blind = await EngineUnderTest.start({ hasScreenshots: false });
    const told: RunProgress[] = [];
    const script = `require("@playwright/test").test("x", async ({ page }) => { await page.goto("${target.url}"); await page.waitForTimeout(2_500); });`;
    await blind.run("BROWSER", script, { onProgress: (progress) => told.push(progress) });
    expect(told.map(({ step }) => step)).toContainEqual(expect.stringMatching(/^x/));
    expect(told.every(({ picture }) => picture === null)).toBe(true);
  });

  it("keeps no picture where none is wanted, in its trace neither", async () => {
    await using blind = await EngineUnderTest.start({ hasScreenshots: false });
    const script = `const { expect, test } = require("@playwright/test");
      test("x", async ({ page }) => { await page.goto("${target.url}"); await page.waitForTimeout(1_000); expect(1).toBe(2); });`;
    const kept = async (engine: EngineUnderTest): Promise<string[]> => {
      const { files } = await engine.run("BROWSER", script);
      return files.flatMap(({ name, content }) => {
        const pictures = "file" in content ? (readFileSync(content.file, "latin1").match(/resources\/[^\0]+?\.jpeg/g) ?? []) : [];
        return name.endsWith(".png") ? [name] : name.endsWith(".zip") ? [`${name}: ${pictures.length > 0}`] : [];
      });
    };
    expect((await kept(made)).toSorted()).toEqual(["screenshot-x.png", "trace-x.zip: true"]);
    expect(await kept(blind)).toEqual(["trace-x.zip: false"]);
  });

  it("tells nothing where nobody looks", async () => {
    const run = await made.run("MULTI_STEP", `require("@playwright/test").test("x", async () => {});`);
    expect(run.outcome).toBe("passed");
  });
});
