import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../call.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { type ReportedRun, reportRuns } from "./reported-runs.ts";

const minute = 60_000;

describe("badges", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ QUEUE_WAIT_SECONDS: "86400" });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = async (change: object, runs: readonly ReportedRun[] = []): Promise<string> => {
    const { body } = await plane.call("POST", "/v1/checks/api", { body: apiCheck(change) });
    await reportRuns(plane.context.storage, plane.account.id, body.id, runs);
    return body.id;
  };
  /** Without a key. */
  const badge = (path: string) => call(plane.base, "GET", `/v1/badges/${path}`);
  const titleOf = (image: string): string | undefined => /<title>(.*)<\/title>/.exec(image)?.[1];
  const ran = (change: Partial<ReportedRun> = {}): ReportedRun => ({ atMs: Date.now() - 5 * minute, ...change });

  it("tell anybody how a check stands", async () => {
    const id = await create({ name: "Shop" }, [ran({ responseTimeMs: 120 }), ran({ atMs: Date.now() - 9 * minute, responseTimeMs: 180 })]);
    const answer = await badge(`checks/${id}`);
    expect([answer.status, answer.headers.get("content-type"), titleOf(answer.text)]).toEqual([200, "image/svg+xml", "Shop: passing"]);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=30");
    expect(titleOf((await badge(`checks/${id.toUpperCase()}?responseTime=true&style=social&theme=dark`)).text)).toBe(
      "Shop: passing 150 ms",
    );
    const failing = await create({ name: "Cart" }, [ran({ hasFailures: true })]);
    expect(titleOf((await badge(`checks/${failing}?label=Basket`)).text)).toBe("Basket: failing");
    const degraded = await create({ name: "Slow" }, [ran({ isDegraded: true })]);
    expect(titleOf((await badge(`checks/${degraded}`)).text)).toBe("Slow: degraded");
    expect(titleOf((await badge(`checks/${await create({ name: "New" })}?responseTime=true`)).text)).toBe("New: no data");
  });

  it("do not tell a deactivated check from none", async () => {
    const off = await create({ name: "Secret project", activated: false });
    const of = async (path: string) => {
      const { status, text, headers } = await badge(path);
      return { status, text, cached: headers.get("cache-control") };
    };
    const missing = await of(`checks/${crypto.randomUUID()}?responseTime=true`);
    expect(titleOf(missing.text)).toBe("check: unknown");
    expect(await of(`checks/${off}?responseTime=true`)).toEqual(missing);
    expect(await of("checks/nonsense?responseTime=true")).toEqual(missing);
    expect(titleOf((await badge(`checks/${off}?label=Mine`)).text)).toBe("Mine: unknown");
  });

  it("of a group tell the worst of its activated checks, and never its name", async () => {
    const group = async (name: string): Promise<number> => (await plane.call("POST", "/v2/check-groups", { body: { name } })).body.id;
    const [shop, empty] = [await group("Secret shop"), await group("Empty")];
    await create({ groupId: shop }, [ran({ responseTimeMs: 100 })]);
    await create({ groupId: shop }, [ran({ isDegraded: true, responseTimeMs: 300 })]);
    await create({ groupId: shop, activated: false });
    expect(titleOf((await badge(`groups/${shop}?responseTime=true`)).text)).toBe("checks: degraded 200 ms");
    expect(titleOf((await badge(`groups/${empty}`)).text)).toBe("checks: unknown");
    expect((await badge(`groups/${empty}`)).text).toBe((await badge("groups/999999999")).text);
  });

  it.each([
    "checks/x?style=round",
    "checks/x?theme=pink",
    "checks/x?responseTime=perhaps",
    "checks/x?label=",
    `checks/x?label=${"x".repeat(61)}`,
    "groups/-1",
    "groups/x",
    "groups/9e99",
  ])("refuse %s", async (path) => {
    expect((await badge(path)).status).toBe(400);
  });

  it("keep what is hostile inert", async () => {
    const id = await create({ name: `</title><script>alert("1")</script>` });
    const { text } = await badge(`checks/${id}?label=${encodeURIComponent(`"><svg onload=alert(1)>`)}`);
    expect(text).not.toMatch(/<script|<svg onload/);
    expect((await badge(`checks/${id}`)).text).not.toContain("<script");
  });
});
