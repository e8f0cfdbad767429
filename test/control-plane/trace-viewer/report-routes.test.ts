import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkDetails } from "../../support/check-details.ts";
import { bundleOf } from "../../support/code-bundle.ts";
import type { Browser } from "../console/browser.ts";
import { firstOwner } from "../console/people.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

const page = "<!DOCTYPE html><title>Playwright Test Report</title><h1>2 failed</h1>";
const files = { "index.html": page, "data/a1.png": "PNG", "data/b2.html": "<script>1</script>", "trace/index.html": "viewer" };
const archive = (more: Readonly<Record<string, string>> = {}): Buffer =>
  bundleOf(Object.entries({ ...files, ...more }).map(([path, body]) => ({ path: `./${path}`, body })));

describe("a report in place", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let locationKey: string;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    locationKey = await plane.locationKey("eu-west-1");
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  async function resultWith(report: Buffer, contentType = "application/gzip"): Promise<string> {
    const body = { name: "shop", locations: ["eu-west-1"], frequency: 1440, codeBundlePath: `${"a".repeat(64)}.tar.gz` };
    const { id } = (await plane.call("POST", "/v1/checks/playwright", { body })).body;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const able = { checkTypes: ["PLAYWRIGHT"], runtimes: ["2026.04"], sandboxLevel: 2 };
    const agent = await FakeAgent.open(plane.base, locationKey, able); // sessions end when the clock moves
    const jobs = await agent.lease(10, 5); // of the schedule, too, where it comes in between
    const evidence = [
      { name: "html-report.tar.gz", type: "log" as const, contentType, data: report.toString("base64") },
      { name: "other.tar.gz", type: "log" as const, contentType, data: report.toString("base64") },
    ];
    await agent.report(...jobs.map((job) => reportOf(job, { detail: checkDetails.PLAYWRIGHT, evidence })));
    return `/checks/${id}/results/${(await plane.call("GET", `/v2/check-results/${id}?limit=1`)).body.entries[0].id}`;
  }

  async function addressOf(result: string): Promise<string> {
    const { status, location } = await owner.get(`${result}/files/html-report.tar.gz/report`);
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/reports\/[\w.-]{50,300}\/index\.html$/)]);
    return location ?? "";
  }
  const get = (path: string): Promise<Response> => fetch(plane.base + path);

  it("is read from the page of its run, by whoever was led there, in an origin of its own", async () => {
    const result = await resultWith(archive());
    expect((await owner.get(result)).text).toContain(`href="${result}/files/html-report.tar.gz/report" target="_blank"`);
    const address = await addressOf(result);
    const shown = await get(address);
    const text = await shown.text();
    expect([shown.status, text.endsWith(page)]).toEqual([200, true]);
    const policy = shown.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("sandbox allow-scripts allow-downloads; default-src 'none'");
    expect(policy).not.toMatch(/allow-same-origin|allow-forms|allow-popups|allow-top|connect-src/);
    expect(shown.headers.get("set-cookie")).toBeNull();
  });

  it("has its pictures, and lets nothing else of it be shown", async () => {
    const address = await addressOf(await resultWith(archive()));
    const of = async (path: string) => {
      const { status, headers } = await get(address.replace("index.html", path));
      return [status, headers.get("content-type"), headers.get("content-disposition")];
    };
    expect(await of("data/a1.png")).toEqual([200, "image/png", null]);
    expect(await of("data/b2.html")).toEqual([200, "application/octet-stream", "attachment"]);
    expect((await of("data/missing.png"))[0]).toBe(404);
    expect((await of("data/..%2Findex.html"))[0]).toBe(404);
    expect(await (await get(address.replace("index.html", "trace/index.html?trace=data/a.zip"))).text()).toMatch(
      /Open them from the page of the run/,
    );
  });

  it("is nothing without its token, with a changed one, and after an hour", async () => {
    const address = await addressOf(await resultWith(archive()));
    expect((await get("/reports/nonsense/index.html")).status).toBe(404);
    const [, , token = ""] = address.split("/");
    const [text = "", signature = ""] = token.split(".");
    const other = Buffer.from(Buffer.from(text, "base64url").toString().replace("[1,", "[2,")).toString("base64url");
    expect(other).not.toBe(text);
    expect((await get(`/reports/${other}.${signature}/index.html`)).status).toBe(404);
    plane.advance(60 * 60_000 + 1);
    expect((await get(address)).status).toBe(404);
  });

  it.each([
    ["is no archive", Buffer.from("nonsense"), 503],
    ["is cut", archive().subarray(0, 60), 503],
    ["has no page", bundleOf([{ path: "./data/a1.png", body: "PNG" }]), 404],
    ["is packed twice", gzipSync(archive()), 503],
  ])("that %s is an error, not a page", async (_what, report, status) => {
    const answer = await get(await addressOf(await resultWith(report)));
    expect([answer.status, (await answer.text()).includes("2 failed")]).toEqual([status, false]);
  });

  it("is not offered where it was withheld, and of no other file", async () => {
    const result = await resultWith(Buffer.from("This file was withheld: it is damaged"), "text/plain; charset=utf-8");
    expect((await owner.get(result)).text).not.toContain('/report"');
    expect((await owner.get(`${result}/files/other.tar.gz/report`)).status).toBe(404);
    expect((await fetch(`${plane.base}${result}/files/html-report.tar.gz/report`, { redirect: "manual" })).headers.get("location")).toMatch(
      /^\/sign-in/,
    );
  });
});
