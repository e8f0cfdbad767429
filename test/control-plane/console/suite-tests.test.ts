import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ResultOf } from "#contract/checks/index.ts";
import type { SuiteTests } from "#contract/suite-tests.ts";
import { checkDetails } from "../../support/check-details.ts";
import { withoutOurScripts } from "../../support/our-scripts.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { evil } from "./key-holder.ts";
import { firstOwner } from "./people.ts";

type Test = ResultOf<"PLAYWRIGHT">["tests"][number];
const [example] = checkDetails.PLAYWRIGHT.tests;
const test = (title: string, status: Test["status"], more: Partial<Test> = {}): Test => ({
  ...example!,
  file: "tests/shop.spec.ts",
  title,
  status,
  ...more,
});

describe("the tests of a suite", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let agent: FakeAgent;
  let id: string;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    const able = { checkTypes: ["PLAYWRIGHT"], runtimes: ["2026.04"], sandboxLevel: 2 };
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), able);
    const body = { name: "shop", locations: ["eu-west-1"], frequency: 1440, codeBundlePath: `${"a".repeat(64)}.tar.gz` };
    id = (await plane.call("POST", "/v1/checks/playwright", { body })).body.id;
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  async function run(...tests: readonly Test[]): Promise<void> {
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease(1, 5);
    const hasFailures = tests.some(({ status }) => status === "failed");
    await agent.report(
      reportOf(job!, {
        hasFailures,
        errorMessage: hasFailures ? "pays: no" : null,
        detail: { ...checkDetails.PLAYWRIGHT, errors: [], tests },
      }),
    );
  }
  const read = (text: string): string =>
    withoutOurScripts(text)
      .replaceAll(/<(?:style|title)>[^]*?<\/(?:style|title)>/g, "")
      .replaceAll(/<[^>]+>/g, " ")
      .replaceAll(/\s+/g, " ");
  const asked = async (query = ""): Promise<SuiteTests> => (await plane.call("GET", `/v1/checks/${id}/tests${query}`)).body;

  it("are told over REST by run and test, the newest run first", async () => {
    await run(test("pays", "passed", { durationMs: 100 }), test("opens", "flaky", { retries: 1 }));
    await run(test("pays", "failed", { durationMs: 300 }), test("opens", "passed"));
    const { checkId, runs, tests } = await asked();
    expect([checkId, runs.map(({ location }) => location)]).toEqual([id, ["eu-west-1", "eu-west-1"]]);
    const newest = (await plane.call("GET", `/v2/check-results/${id}?limit=1`)).body.entries[0];
    expect([runs[0]?.resultId, runs[0]?.startedAt]).toEqual([newest.id, newest.startedAt]);
    expect(tests).toMatchObject([
      { title: "opens", state: "passed", failingSince: null, flakyRate: 0.5, outcomes: ["passed", "flaky"] },
      {
        title: "pays",
        state: "failed",
        failingSince: { resultId: newest.id, startedAt: newest.startedAt, isNew: true },
        failureRate: 0.5,
        durationMs: { latest: 300, p50: 100, slowest: 100 },
        durationsMs: [300, 100],
      },
    ]);
    expect((await asked("?runs=1")).runs).toHaveLength(1);
    expect((await asked("?location=nowhere")).tests).toEqual([]);
    const refused = await plane.call("GET", `/v1/checks/${id}/tests?runs=101`);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("runs")]);
  });

  it("are a tree by project and file on the page of the check, each run a bar that leads to it", async () => {
    const phone = { project: "phone" };
    await run(test("pays", "passed", phone), test("opens", "flaky"), test(evil, "passed", { file: "tests/admin.spec.ts" }));
    await run(test("pays", "failed", phone), test("opens", "passed"), test(evil, "passed", { file: "tests/admin.spec.ts" }));
    const { text } = await owner.get(`/checks/${id}`);
    const words = read(text);
    expect(words).toMatch(/Tests Latest 2 runs 1 newly failing 1 flaky/);
    expect(words).toMatch(
      /No project 2 of 2 pass tests\/admin\.spec\.ts 1 of 1 pass .*tests\/shop\.spec\.ts 1 of 1 pass .*passes opens .*50 %/,
    );
    expect(words).toMatch(/phone 0 of 1 pass tests\/shop\.spec\.ts 0 of 1 pass .*fails pays newly failing since/);
    const { runs } = await asked();
    for (const { resultId } of runs) expect(text).toContain(`<a href="/checks/${id}/results/${resultId}" aria-label=`);
    expect((text.match(/<rect class="bad"/g) ?? []).length).toBe(1);
    expect(withoutOurScripts(text)).not.toContain(evil);
  });

  it("stand on a page of their own, by what somebody looks for", async () => {
    const many = Array.from({ length: 130 }, (_, n) => test(`test ${n}`, "passed", { line: n + 1, durationMs: n }));
    await run(...many, test("pays", "failed"), test("opens", "flaky"));
    expect(read((await owner.get(`/checks/${id}`)).text)).toContain("All 132 tests");
    const page = async (query: string): Promise<string> => read((await owner.get(`/checks/${id}/tests${query}`)).text);
    expect(await page("")).toMatch(/test 0 .*test 95 .*Next page/);
    expect(await page("?show=all&page=2")).toMatch(/test 129 .*Previous page/);
    expect(await page("?show=failing")).toMatch(/fails pays failing since at least/);
    expect(await page("?show=failing")).not.toContain("opens");
    expect(await page("?show=flaky")).toContain("passed on a retry opens");
    expect(await page("?show=slowest")).toMatch(/tests\/shop\.spec\.ts.* test 129 .*test 128 /);
    expect(await page("?show=nonsense&page=-3")).toContain("test 0 ");
  });

  it("are compared, on the page of a run, with the last one that passed", async () => {
    const resultsOf = async (): Promise<readonly { readonly id: string }[]> =>
      (await plane.call("GET", `/v2/check-results/${id}`)).body.entries;
    await run(test("pays", "passed", { durationMs: 100 }), test("opens", "passed", { durationMs: 50 }), test("was", "passed"));
    const [passing] = await resultsOf();
    await run(test("pays", "failed"), test("opens", "passed"));
    await run(test("pays", "failed", { durationMs: 300 }), test("opens", "passed", { durationMs: 1_500 }), test("is", "passed"));
    const [newest] = await resultsOf();
    const { text } = await owner.get(`/checks/${id}/results/${newest!.id}`);
    expect(text).toContain(`<a href="/checks/${id}/results/${passing!.id}">`);
    const words = read(text);
    expect(words).toMatch(/Beside the last passing run Compared with the run of .* Test Then Now pays [^ ]* passed 100 ms failed 300 ms/);
    expect(words).toMatch(/was [^ ]* passed [^ ]* (?:ms|s) not in this run is [^ ]* not in this run passed/);
    expect(words).toMatch(/Durations of each test .* opens [^ ]* 50 ms 1\.50 s \+1\.45 s pays [^ ]* 100 ms 300 ms \+200 ms/);
    expect(read((await owner.get(`/checks/${id}/results/${passing!.id}`)).text)).not.toContain("Beside the last passing run");
  });

  it("are nothing where there was no run, and of other types", async () => {
    expect(read((await owner.get(`/checks/${id}/tests`)).text)).toContain("No run has come to its tests yet.");
    expect(read((await owner.get(`/checks/${id}`)).text)).not.toContain("Latest run");
    const other = (
      await plane.call("POST", "/v1/checks/tcp", {
        body: { name: "t", locations: ["eu-west-1"], request: { hostname: "127.0.0.1", port: 1 } },
      })
    ).body.id;
    expect((await plane.call("GET", `/v1/checks/${other}/tests`)).body).toMatchObject({ runs: [], tests: [] });
  });
});
