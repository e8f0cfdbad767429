import { describe, expect, it } from "vitest";
import { readControlPlaneConfig } from "../../../src/control-plane/config.ts";
import { ConfigError } from "../../../src/daemon/env.ts";
import { controlPlaneUnderTest } from "../control-plane-under-test.ts";

describe("ACCESS_LOG", () => {
  const requestsOf = (lines: readonly string[]) =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === "request");

  it("tells of each request by its route, and nothing of what its address, headers and body hold", async () => {
    await using plane = await controlPlaneUnderTest({ ACCESS_LOG: "all" });
    await plane.call("GET", "/v1/checks?limit=7");
    await plane.call("GET", "/ping/planted-token-1", { key: undefined });
    await plane.call("GET", "/sign-in?next=planted-2", { key: undefined });
    await plane.call("GET", "/nothing/planted-3", { key: undefined });
    await plane.call("POST", "/v1/checks/url", { body: { name: "planted-4" } });
    const lines = requestsOf(plane.logLines);
    expect(lines).toMatchObject([
      { method: "GET", route: "/v1/checks", status: 200, address: "127.0.0.1", caller: expect.any(String) as string },
      { method: "GET", status: 404 },
      { method: "GET", route: "/sign-in", status: 200 },
      { method: "GET", route: null, status: 404 },
      { method: "POST", route: "/v1/checks/url", status: 400 },
    ]);
    expect(lines.every(({ ms, requestId }) => typeof ms === "number" && typeof requestId === "string")).toBe(true);
    const text = JSON.stringify(lines);
    for (const planted of ["planted", "limit=7", plane.ownerKey]) expect(text).not.toContain(planted);
  });

  it.each([
    { value: "off", statuses: [] },
    { value: "failures", statuses: [404] },
    { value: "1/3", statuses: [200, 404, 200] },
  ])("$value tells of $statuses among six that go well and one that does not", async ({ value, statuses }) => {
    await using plane = await controlPlaneUnderTest({ ACCESS_LOG: value });
    for (const path of [
      "/v1/checks",
      "/v1/checks",
      "/v1/checks",
      "/v1/checks/00000000-0000-4000-8000-000000000000",
      "/v1/checks",
      "/v1/checks",
      "/v1/checks",
    ])
      await plane.call("GET", path);
    expect(requestsOf(plane.logLines).map(({ status }) => status)).toEqual(statuses);
  });

  it("cuts what a client calls itself", async () => {
    await using plane = await controlPlaneUnderTest({ ACCESS_LOG: "all" });
    await fetch(`${plane.base}/docs`, { headers: { "user-agent": "x".repeat(5000) } });
    expect(requestsOf(plane.logLines)[0]?.["userAgent"]).toBe("x".repeat(200));
  });

  it.each(["on", "1/0", "2/3", "1/", "50%"])("refuses %s", (value) => {
    const read = () => readControlPlaneConfig({ DATA_DIR: "/tmp/x", ACCESS_LOG: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/ACCESS_LOG.*must be off, failures, all, or a share such as 1\/100/);
  });
});
