import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Operation } from "#contract/operation.ts";
import { handler } from "../../../src/control-plane/http/handler.ts";
import { httpServer } from "./http-server.ts";

const common = { tag: "T", summary: "s", access: "public", successStatus: 200 } as const;
const trigger = {
  ...common,
  id: "trigger",
  method: "GET",
  path: "/checks/{checkId}/trigger/{token}",
  rateLimit: "triggers",
  params: z.object({ checkId: z.string(), token: z.string() }),
} as const satisfies Operation;
const picture = {
  ...common,
  id: "picture",
  method: "GET",
  path: "/badge",
  rateLimit: "standard",
  text: "image/svg+xml",
} as const satisfies Operation;
const ping = { ...common, id: "ping", method: "POST", path: "/ping", rateLimit: "none" } as const satisfies Operation;

describe("limits", () => {
  it("of trigger URLs count each token by itself, however it is spelled, and say when to come again", async () => {
    const limits = { triggers: { requests: 2, windowSeconds: 60 } };
    await using http = await httpServer([handler(trigger, async () => undefined)], { limits });
    const call = async (token: string) => http.call("GET", `/checks/1/trigger/${token}`);
    const statuses = [await call("abc"), await call("%61bc"), await call("abc?again=1"), await call("other")].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 429, 200]);
    expect(Number((await call("abc")).headers.get("retry-after"))).toBeGreaterThan(50);
  });
});

describe("public operations", () => {
  it("give a picture that runs nothing and loads nothing where somebody opens it", async () => {
    await using http = await httpServer([handler(picture, async () => "<svg/>")]);
    const { headers, text } = await http.call("GET", "/badge");
    expect(text).toBe("<svg/>");
    expect(headers.get("content-type")).toContain("image/svg+xml");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("that take no body do not mind what a caller's tool sends", async () => {
    await using http = await httpServer([handler(ping, async () => undefined)]);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await http.call("POST", "/ping", { body: "a=1", headers })).status).toBe(200);
    expect((await http.call("POST", "/ping", { body: '{"a":' })).status).toBe(200);
  });
});
