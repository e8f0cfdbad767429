import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Operation } from "#contract/operation.ts";
import { AppError } from "#domain/app-error.ts";
import { type Handler, handler } from "../../../src/control-plane/http/handler.ts";
import { httpServer } from "./http-server.ts";

const common = { tag: "T", summary: "s", access: "public", rateLimit: "standard", successStatus: 200 } as const;
const echo = {
  ...common,
  id: "echo",
  method: "POST",
  path: "/things/{id}",
  params: z.object({ id: z.string().max(50) }),
  query: z.object({ limit: z.coerce.number().int().max(100).default(10) }),
  body: z.object({
    name: z.string().min(1).max(20),
    size: z.number().int().optional(),
    mode: z.enum(["fast", "slow"]).default("fast"),
    password: z.enum(["x"]).optional(),
    tags: z.array(z.string()).max(3).default([]),
  }),
  output: z.object({ id: z.string(), limit: z.number(), name: z.string(), mode: z.string() }),
} as const satisfies Operation;

const echoHandler = handler(echo, async ({ params, query, body }) => ({
  id: params.id,
  limit: query.limit,
  name: body.name,
  mode: body.mode,
}));

describe("the HTTP server", () => {
  it("routes an operation, parses every part and fills in defaults", async () => {
    await using http = await httpServer([echoHandler]);
    const answer = await http.call("POST", "/things/7", { body: { name: "a", unknown: { deep: 1 } } });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ id: "7", limit: 10, name: "a", mode: "fast" });
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
  });

  it("reads gzip bodies", async () => {
    await using http = await httpServer([echoHandler]);
    const answer = await http.call("POST", "/things/7?limit=5", {
      body: gzipSync('{"name":"packed"}'),
      headers: { "content-encoding": "gzip" },
    });
    expect(answer.body).toEqual({ id: "7", limit: 5, name: "packed", mode: "fast" });
  });

  it.each([
    ["with a byte order mark", { body: Buffer.from('\uFEFF{"name":"a"}') }, 200],
    ["packed as x-gzip", { body: gzipSync('{"name":"a"}'), headers: { "content-encoding": "x-gzip" } }, 200],
    ["of an empty content type", { body: '{"name":"a"}', headers: { "content-type": "" } }, 400],
  ])("takes a body %s as it is meant", async (_case, options, status) => {
    await using http = await httpServer([echoHandler]);
    const answer = await http.call("POST", "/things/7", options);
    expect(answer.status).toBe(status);
    expect([undefined, "The content type must be application/json"]).toContain(answer.body.message);
  });

  it.each([
    ["limit=abc", '"limit" must be a number, received "abc"'],
    ["limit=10&limit=20", '"limit" must be a number, received an array'],
    ["limit=1000", '"limit" must be at most 100, received "1000"'],
    ["limit=1.5", '"limit" must be a whole number, received "1.5"'],
  ])("tells what it received as a number: %s", async (query, message) => {
    await using http = await httpServer([echoHandler]);
    expect((await http.call("POST", `/things/7?${query}`, { body: { name: "a" } })).body.message).toBe(message);
  });

  const gzip = { "content-encoding": "gzip" };
  it.each([
    ["malformed JSON", { body: '{"name":' }, 400, "not valid JSON"],
    ["no body", {}, 400, "The body is required"],
    ["null as the body", { body: "null" }, 400, "must be an object, received null"],
    ["an array as the body", { body: "[]" }, 400, "must be an object, received an array"],
    ["a missing field", { body: {} }, 400, '"name" is required'],
    ["null", { body: { name: null } }, 400, '"name" must be a string, received null'],
    ["a wrong type", { body: { name: "a", size: "7" } }, 400, '"size" must be a number, received "7"'],
    ["a value outside the list", { body: { name: "a", mode: "medium" } }, 400, '"mode" must be one of fast, slow; received "medium"'],
    ["too long a list", { body: { name: "a", tags: ["1", "2", "3", "4"] } }, 400, '"tags" must have at most 3 entries, received 4'],
    [
      "a text of nearly 1 MB",
      { body: { name: "x".repeat(1_000_000) } },
      400,
      '"name" must have at most 20 characters, received 1000000 characters',
    ],
    ["a body over 1 MB", { body: { name: "x".repeat(1_100_000) } }, 413, "it has 1100011 bytes, and at most 1048576 bytes are taken"],
    ["a body of 40 MB", { body: { name: "x".repeat(40_000_000) } }, 413, "it has 40000011 bytes, and at most"],
    ["deep nesting", { body: `{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}` }, 400, "nested more than 100 levels"],
    ["many entries in an unknown field", { body: `{"name":"a","x":[${"1,".repeat(60_000)}1]}` }, 200, ""],
    ["a million of them", { body: `{"name":"a","x":[${"1,".repeat(400_000)}1]}` }, 413, "more than 70000 values"],
    ["invalid UTF-8", { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) }, 400, "not valid UTF-8"],
    ["malformed gzip", { body: Buffer.from("no gzip"), headers: gzip }, 400, "not valid gzip"],
    ["truncated gzip", { body: gzipSync('{"name":"a"}').subarray(0, 15), headers: gzip }, 400, "not valid gzip"],
    [
      "a gzip bomb",
      { body: gzipSync(Buffer.alloc(50_000_000, 0x20)), headers: gzip },
      413,
      "larger than allowed: at most 1048576 bytes are taken",
    ],
    ["an unknown content encoding", { body: "{}", headers: { "content-encoding": "br" } }, 400, "content-encoding must be gzip"],
    ["another content type", { body: "<a/>", headers: { "content-type": "text/xml" } }, 400, "must be application/json"],
    ["a poisoned prototype", { body: '{"name":"a","__proto__":{"mode":"slow"}}' }, 200, ""],
  ])("answers %s as the client's own mistake, never with a 500", async (_case, options, status, message) => {
    await using http = await httpServer([echoHandler]);
    const answer = await http.call("POST", "/things/7", options as object);
    expect([answer.status, answer.body.statusCode ?? 200, answer.body.mode ?? "fast"]).toEqual([status, status, "fast"]);
    expect(answer.body.message ?? "").toContain(message);
  });

  it.each(["keep-alive", "close"])("takes a whole body that is too large before it answers 413 (connection: %s)", async (connection) => {
    await using http = await httpServer([echoHandler]);
    const socket = connect(http.server.address()?.port ?? 0, "127.0.0.1");
    const bytes = 20_000_000;
    const head = `POST /things/7 HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nconnection: ${connection}\r\ncontent-length: ${bytes}\r\n\r\n`;
    // As clients do that look for an answer only when all is sent.
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject).once("close", reject).write(head);
      socket.write(Buffer.alloc(bytes, 0x20), () => resolve());
    });
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toContain("HTTP/1.1 413 ");
    socket.destroy();
  });

  it("lists the issues of a bad body with their paths, and never repeats a secret", async () => {
    await using http = await httpServer([echoHandler]);
    const answer = await http.call("POST", "/things/7", { body: { name: 1, password: "hunter2" } });
    expect(answer.body.attributes.issues.map(({ path }: { path: string }) => path)).toEqual(["name", "password"]);
    expect(answer.text).not.toContain("hunter2");
  });

  it.each([
    ["GET", "/nothing", 404],
    ["GET", "/things/%E0%A4%A", 400],
    ["POST", `/things/${"x".repeat(51)}`, 400],
    ["POST", `/things/${"x".repeat(2_000)}`, 404],
    ["POST", "/things/7?limit=abc", 400],
    ["POST", "/things/7?limit=1&limit=2", 400],
    ["PATCH", "/things/7", 405],
  ])("%s %s is %i with an error body", async (method, path, status) => {
    await using http = await httpServer([echoHandler]);
    const answer = await http.call(method, path, method === "GET" ? {} : { body: { name: "a" } });
    expect(answer.body).toMatchObject({ statusCode: status, message: expect.any(String), error: expect.any(String) });
    expect(answer.status).toBe(status);
  });

  it("tells which methods an address takes, also where another one takes it for an id", async () => {
    const named = handler({ ...common, id: "named", method: "GET", path: "/things/named" }, async () => undefined);
    await using http = await httpServer([echoHandler, named]);
    for (const [method, path, allow] of [
      ["DELETE", "/things/7", "POST"],
      ["POST", "/things/named", "GET, HEAD"],
      ["OPTIONS", "/things/named", "GET, HEAD"],
      ["QUERY", "/things/named", "GET, HEAD"],
    ] as const) {
      const answer = await http.call(method, path, { body: { name: "a" } });
      expect([answer.status, answer.headers.get("allow"), answer.body?.statusCode]).toEqual([405, allow, 405]);
    }
  });

  const failing = (error: Error): Handler => handler({ ...common, id: "f", method: "GET", path: "/f" }, async () => Promise.reject(error));
  it.each([
    [new AppError("not_found", "gone"), 404, null],
    [new AppError("unauthorized", "Bad Token"), 401, null],
    [new AppError("conflict", "taken"), 409, null],
    [new AppError("try_again", "later"), 408, "1"],
    [new AppError("upgrade_required", "old"), 426, null],
    [new AppError("unavailable", "store"), 503, "5"],
    [new AppError("rate_limited", "slow down", { attributes: { retryAfterSeconds: 7 } }), 429, "7"],
  ])("turns %s into %i", async (error, status, retryAfter) => {
    await using http = await httpServer([failing(error)]);
    const answer = await http.call("GET", "/f");
    expect(answer.body).toMatchObject({ statusCode: status, message: error.message });
    expect(answer.headers.get("retry-after")).toBe(retryAfter);
    expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
  });

  it("tells nothing of a bug and logs it with the request's id", async () => {
    await using http = await httpServer([failing(new Error("secret detail"))]);
    const answer = await http.call("GET", "/f", { headers: { "x-request-id": "abc-1" } });
    expect(answer.body).toEqual({ statusCode: 500, error: "Internal Server Error", message: "Something went wrong on our side" });
    expect(http.logLines.join()).toContain("secret detail");
    expect(http.logLines.join()).toContain("abc-1");
  });

  it("notices an answer outside its schema", async () => {
    const wrong = handler(echo, async () => ({ id: 1 }) as never);
    await using http = await httpServer([wrong]);
    expect((await http.call("POST", "/things/7", { body: { name: "a" } })).status).toBe(500);
    expect(http.logLines.join()).toContain("echo answered outside its schema");
  });

  it("tells the total of a paged list in Content-Range", async () => {
    const list = {
      ...common,
      id: "l",
      method: "GET",
      path: "/l",
      paged: true,
      output: z.array(z.number()),
      query: z.object({ page: z.coerce.number().default(1), limit: z.coerce.number().default(10) }),
    } as const satisfies Operation;
    const all = Array.from({ length: 23 }, (_, index) => index);
    await using http = await httpServer([
      handler(list, async ({ query: { page, limit } }) => ({ items: all.slice((page - 1) * limit, page * limit), total: all.length })),
    ]);
    expect((await http.call("GET", "/l")).headers.get("content-range")).toBe("items 0-9/23");
    expect((await http.call("GET", "/l?page=3")).headers.get("content-range")).toBe("items 20-22/23");
    const past = await http.call("GET", "/l?page=9");
    expect([past.body, past.headers.get("content-range")]).toEqual([[], "items */23"]);
  });

  it("counts requests per caller and class, and says when to come back", async () => {
    await using http = await httpServer([echoHandler], { limits: { standard: { requests: 2, windowSeconds: 60 } } });
    const send = () => http.call("POST", "/things/7", { body: { name: "a" } });
    expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
    const refused = await send();
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
  });

  const wait = { ...common, id: "w", method: "POST", path: "/w", output: z.object({ ended: z.boolean() }) } as const satisfies Operation;
  const untilAborted = (signal: AbortSignal): Promise<unknown> => (signal.aborted ? Promise.resolve() : once(signal, "abort"));

  it("ends long polls when it drains", async () => {
    const parked = Promise.withResolvers<void>();
    await using http = await httpServer([
      handler(wait, async (_input, { signal }) => {
        parked.resolve();
        await untilAborted(signal);
        return { ended: true };
      }),
    ]);
    const answer = http.call("POST", "/w", { body: {} });
    await parked.promise;
    http.server.drain();
    expect((await answer).body).toEqual({ ended: true });
  });

  it("tells a handler when its client goes away, and undoes what was not delivered", async () => {
    const undone = Promise.withResolvers<void>();
    const parked = Promise.withResolvers<void>();
    await using http = await httpServer([
      handler(wait, async (_input, { signal, onUndelivered }) => {
        parked.resolve();
        await untilAborted(signal);
        onUndelivered(undone.resolve);
        return { ended: true };
      }),
    ]);
    const client = new AbortController();
    const answer = http.call("POST", "/w", { body: {}, signal: client.signal }).catch(() => "gone");
    await parked.promise;
    client.abort();
    expect(await answer).toBe("gone");
    await undone.promise;
  });

  it("does not undo what was delivered", async () => {
    let undone = false;
    await using http = await httpServer([
      handler(wait, async (_input, { onUndelivered }) => {
        onUndelivered(() => {
          undone = true;
        });
        return { ended: true };
      }),
    ]);
    await http.call("POST", "/w", { body: {} });
    await http.server.stop(AbortSignal.timeout(1_000));
    expect(undone).toBe(false);
  });

  it("answers others while slow clients dribble their headers", async () => {
    await using http = await httpServer([echoHandler]);
    const port = http.server.address()?.port ?? 0;
    const slow = Array.from({ length: 200 }, () => connect(port, "127.0.0.1"));
    await Promise.all(slow.map((socket) => once(socket, "connect")));
    for (const socket of slow) socket.on("error", () => undefined).write("POST /things/7 HTTP/1.1\r\nx: ");
    expect((await http.call("POST", "/things/7", { body: { name: "a" } })).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });
});
