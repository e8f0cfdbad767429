import type { Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BodyMemory, bodyBytesFor } from "../../../../src/agent/net/body-memory.ts";
import { httpServer } from "../../../support/http-servers/http-server.ts";
import { cannedServer, rawServer } from "../../../support/http-servers/raw-server.ts";
import { turnsUntil } from "../../../support/turns.ts";
import { apiChecks } from "./api-check.ts";

const run = apiChecks();
const at = (server: { port: number }): string => `http://127.0.0.1:${server.port}/`;
const ok = (headers: string, body: string | Buffer = ""): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`), Buffer.from(body)]);

describe("a target that breaks HTTP (H-05)", () => {
  it.each([
    ["garbage", "EPROTO", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["HTTP/0.9", "EPROTO", "<html>hello</html>"],
    ["a TLS alert", "EPROTO", Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46])],
    ["two Content-Lengths", "EPROTO", ok("Content-Length: 5\r\nContent-Length: 6", "hello!")],
    ["Content-Length beside chunks", "EPROTO", ok("Content-Length: 5\r\nTransfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n")],
    ["a bad chunk", "EPROTO", ok("Transfer-Encoding: chunked", "zz\r\nhello\r\n0\r\n\r\n")],
    ["a header of 20 KB", "EHEADERSIZE", ok(`X: ${"a".repeat(20_000)}`)],
    ["5,000 headers", "EHEADERSIZE", ok(Array.from({ length: 5_000 }, (_, n) => `X-${n}: 1`).join("\r\n"))],
    ["an unasked upgrade", "EPROTO", "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
    ["a truncated body", "ECONNRESET", ok("Content-Length: 100", "hello")],
    ["a truncated chunk", "ECONNRESET", ok("Transfer-Encoding: chunked", "ff\r\nhello")],
    ["truncated headers", "ECONNRESET", "HTTP/1.1 200 OK\r\nX-A: 1\r\n"],
    ["nothing at all", "ECONNRESET", ""],
  ])("with %s is %s", async (_title, code, answer) => {
    await using server = await cannedServer(answer);
    const seen = await run({ url: at(server) });
    expect(seen.failure).toMatchObject({ code, side: "target" });
    expect(seen.result).toMatchObject({ response: null, requestError: expect.stringMatching(`^${code}: `) });
  });

  it.each([
    ["closed", (socket: Socket) => void socket.end()],
    ["reset", (socket: Socket) => void socket.resetAndDestroy()],
  ])("that %s the connection without an answer is said to have done so", async (verb, hangUp) => {
    await using server = await rawServer((socket) => void socket.once("data", () => hangUp(socket)));
    expect((await run({ url: at(server) })).failure).toMatchObject({
      code: "ECONNRESET",
      message: expect.stringContaining(`${verb} the connection (before it answered)`),
    });
  });

  it("whose body ends with the connection is whole", async () => {
    await using server = await cannedServer(ok("X: 1", "until the end"));
    expect((await run({ url: at(server) })).facts.text()).toBe("until the end");
  });

  it.each([
    ["after it accepted", (socket: Socket) => void socket.resetAndDestroy(), null],
    ["after the request", (socket: Socket) => void socket.once("data", () => socket.resetAndDestroy()), null],
    [
      "within the body",
      (socket: Socket) =>
        void socket.once("data", () => socket.write(ok("Content-Length: 9", "abc"), () => setTimeout(() => socket.resetAndDestroy(), 20))),
      200,
    ],
  ])("that resets %s is ECONNRESET, with the phases it reached (H-06)", async (_title, handle, statusCode) => {
    await using server = await rawServer(handle);
    const seen = await run({ url: at(server) });
    // A reset right after the accept may reach the kernel before the connect is told: then the TCP phase is open, too.
    expect(seen).toMatchObject({ failure: { code: "ECONNRESET" }, statusCode, metrics: { dns: expect.any(Number), download: null } });
    expect(seen.metrics["firstByte"] === null).toBe(statusCode === null);
  });
});

describe("a target that takes its time", () => {
  afterEach(() => void vi.useRealTimers());

  /** Fakes the time-outs (not intervals), waits until `port`'s server has sent something, and passes `ms`. */
  async function afterFirstBytes(running: Promise<unknown>, sent: () => number, ms: number): Promise<void> {
    let over = false;
    void running.finally(() => (over = true));
    await turnsUntil(() => over || sent() > 20);
    vi.advanceTimersByTime(ms);
  }

  it.each([
    ["drips its headers", "X"],
    ["sends 100 Continue for ever", "HTTP/1.1 100 Continue\r\n\r\n"],
  ])("and %s is stopped at 10 s for all headers (H-01)", async (_title, drip) => {
    let sent = 0;
    await using server = await rawServer((socket) => {
      if (drip === "X") socket.write("HTTP/1.1 200 OK\r\nX-");
      const dripping = setInterval(() => (sent += Number(socket.write(drip))), 1);
      socket.on("close", () => clearInterval(dripping));
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const running = run({ url: at(server) });
    await afterFirstBytes(running, () => sent, 10_001);
    expect((await running).failure).toMatchObject({
      code: "ETIMEDOUT",
      message: expect.stringMatching(/^headers of the response .* 10000 ms$/),
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("and stands still within the body is stopped after 10 s", async () => {
    let reading = false;
    await using server = await rawServer((socket) => {
      socket.once("data", () => socket.write(ok("Content-Length: 100", "some"), () => (reading = true)));
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const running = run({ url: at(server) });
    await turnsUntil(() => reading);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(10_001);
    expect(await running).toMatchObject({ statusCode: 200, failure: { code: "ETIMEDOUT", message: expect.stringContaining("body") } });
  });

  it("and drips its body goes on as long as something comes", async () => {
    let sent = 0;
    await using server = await rawServer((socket) => {
      socket.once("data", () => {
        socket.write(ok("Content-Length: 60"));
        const dripping = setInterval(() => {
          sent += Number(socket.write("x"));
          if (sent === 60) clearInterval(dripping);
        }, 2);
      });
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const running = run({ url: at(server) });
    await afterFirstBytes(running, () => sent, 9_000);
    const before = sent;
    await turnsUntil(() => sent > before + 5);
    vi.advanceTimersByTime(9_000);
    expect(await running).toMatchObject({ failure: null, result: { response: { bodyBytes: 60 } } });
  });
});

describe("a target that sends too much", () => {
  it("is read up to 25 MB, which is no failure (H-02)", async () => {
    const block = Buffer.alloc(64 * 1024, "y");
    await using server = await httpServer((_request, response) => {
      const fill = (): void => {
        while (response.write(block) && !response.destroyed);
      };
      response.on("drain", fill);
      fill();
    });
    const seen = await run({ url: server.url });
    expect(seen).toMatchObject({ failure: null, statusCode: 200, result: { response: { truncated: true, bodyBytes: 25 * 1024 * 1024 } } });
  });

  const zeros = Buffer.alloc(30 * 1024 * 1024);
  it.each([
    ["gzip", gzipSync(zeros)],
    ["br", brotliCompressSync(zeros)],
    ["zstd", zstdCompressSync(zeros)],
    ["deflate", deflateSync(zeros)],
  ])("packed 200 times smaller and more is EBODYRATIO: %s (H-03)", async (encoding, body) => {
    await using server = await cannedServer(ok(`Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}`, body));
    const before = process.memoryUsage().rss;
    expect((await run({ url: at(server) })).failure).toMatchObject({ code: "EBODYRATIO" });
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
  });
});

describe("content encodings", () => {
  const text = "the same text ".repeat(50);
  it.each([
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["br", brotliCompressSync(text)],
    ["zstd", zstdCompressSync(text)],
    ["identity", Buffer.from(text)],
    ["utf-8", Buffer.from(text)],
    ["GZIP, identity", gzipSync(text)],
  ])("%s is read", async (encoding, body) => {
    await using server = await cannedServer(ok(`Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}`, body));
    expect((await run({ url: at(server) })).facts.text()).toBe(text);
  });

  it("of a small body may be tighter than the ratio", async () => {
    const body = gzipSync(Buffer.alloc(1024 * 1024, "a"));
    await using server = await cannedServer(ok(`Content-Encoding: gzip\r\nContent-Length: ${body.length}`, body));
    expect((await run({ url: at(server) })).result.response?.bodyBytes).toBe(1024 * 1024);
  });

  it.each([
    ["five chained encodings", "gzip, gzip, gzip, gzip, gzip", gzipSync(text)],
    ["plain text called gzip", "gzip", Buffer.from(text)],
    ["a gzip cut short", "gzip", gzipSync(text).subarray(0, 20)],
    ["noise called br", "br", Buffer.from(text)],
  ])("that are wrong are EBODYENCODING: %s (H-03)", async (_title, encoding, body) => {
    await using server = await cannedServer(ok(`Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}`, body));
    expect(await run({ url: at(server) })).toMatchObject({
      statusCode: 200,
      failure: { code: "EBODYENCODING" },
      result: { response: null },
    });
  });
});

describe("many targets with large bodies at once", () => {
  const large = ok("X: 1", Buffer.alloc(10 * 1024 * 1024, "x"));

  it("get the memory that there is; who finds none spoils its attempt and blames no target", async () => {
    await using server = await cannedServer(large);
    const memory = new BodyMemory(20 * 1024 * 1024);
    const attempt = () => run({ url: at(server) }, { bodyMemory: memory.lease() });
    await attempt();
    await attempt();
    await expect(attempt()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("no memory left for this response"),
    });
  });

  it("get it back when an attempt is over, and small bodies need none", async () => {
    await using server = await cannedServer(large);
    await using small = await cannedServer(ok("X: 1", "x".repeat(500_000)));
    const memory = new BodyMemory(10 * 1024 * 1024);
    for (let n = 0; n < 3; n += 1) {
      using bodyMemory = memory.lease();
      expect((await run({ url: at(server) }, { bodyMemory })).facts.text()).toHaveLength(10 * 1024 * 1024);
      for (let more = 0; more < 5; more += 1) await run({ url: at(small) }, { bodyMemory });
    }
  });

  it.each([
    [296, 25],
    [512, 32],
    [1_024, 160],
    [24_000, 5_904],
  ])("with %d MiB of memory hold %d MiB", (memoryMib, bodiesMib) => {
    expect(bodyBytesFor(memoryMib * 1024 * 1024) / 1024 / 1024).toBe(bodiesMib);
  });
});
