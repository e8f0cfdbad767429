import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PageRequest, type PageRoute, seeOther } from "../../../src/control-plane/http/page-routes.ts";
import { get } from "../pages/get.ts";
import { httpServer, type ServerUnderTest } from "./http-server.ts";

describe("routes of pages", () => {
  let server: ServerUnderTest;
  const seen: PageRequest[] = [];
  const pages: readonly PageRoute[] = [
    {
      path: "/rooms/{room}/chairs/{chair}",
      answer: (request) => {
        seen.push(request);
        return { status: 418, type: "text/plain; charset=utf-8", body: "short and stout", headers: { "cache-control": "public" } };
      },
    },
    { path: "/old", answer: () => seeOther("/new", { "set-cookie": "a=b" }) },
  ];
  beforeAll(async () => {
    server = await httpServer([], { pages });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it("tell pages what was asked for, and answer what they say", async () => {
    const { status, text, headers } = await get(server.base, "/rooms/a%20b/chairs/7?q=1&q=2&x=%26", {
      host: "Rooms.Example.COM.:8080",
      cookie: 'one=1; two="=2"; one=3; broken',
      accept: "text/html",
    });
    expect([status, text, headers.get("cache-control")]).toEqual([418, "short and stout", "public"]);
    const [request] = seen;
    expect(request).toMatchObject({ path: "/rooms/a%20b/chairs/7", host: "rooms.example.com", accept: "text/html" });
    expect(request?.params).toEqual({ room: "a b", chair: "7" });
    expect([request?.query.getAll("q"), request?.query.get("x")]).toEqual([["1", "2"], "&"]);
    expect([...(request?.cookies ?? [])]).toEqual([
      ["one", "1"],
      ["two", '"=2"'],
    ]);
    expect(request?.remoteAddress).toContain("127.0.0.1");
  });

  it("lead elsewhere", async () => {
    const { status, headers } = await get(server.base, "/old");
    expect([status, headers.get("location"), headers.get("set-cookie")]).toEqual([303, "/new", "a=b"]);
  });

  it("take nothing but GET and HEAD", async () => {
    expect((await server.call("POST", "/old", { body: {} })).status).toBe(404);
    expect((await server.call("HEAD", "/rooms/a/chairs/b")).status).toBe(418);
  });
});
