import { once } from "node:events";
import { get } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ResponseHead, ResponseReader } from "../../../src/agent/net/http-response.ts";
import { ProbeError } from "../../../src/agent/net/probe-error.ts";
import { cannedServer } from "../../support/http-servers/raw-server.ts";

type Seen = { readonly code: string } | { readonly head: ResponseHead; readonly body: string };

/** What a reader makes of a response that comes in these parts, and of the connection's end behind them. */
function read(parts: readonly Buffer[], follows: "as the head says" | "no" = "as the head says"): Seen {
  let head: ResponseHead | undefined;
  let body = "";
  let ends = 0;
  const reader = new ResponseReader("10.0.0.1:80", {
    onHead(seen) {
      head = seen;
      return follows;
    },
    onBody: (part) => (body += part.toString("latin1")),
    onEnd: () => (ends += 1),
  });
  try {
    for (const part of parts) reader.push(Buffer.from(part));
  } catch (error) {
    if (error instanceof ProbeError) return { code: error.code };
    throw error;
  }
  const isWhole = reader.close();
  expect(ends).toBe(isWhole ? 1 : 0);
  return isWhole && head !== undefined ? { head, body } : { code: "ECONNRESET" };
}

const ok = (headers: string, body = ""): string => `HTTP/1.1 200 OK\r\n${headers === "" ? "" : `${headers}\r\n`}\r\n${body}`;
const chunked = (body: string, headers = ""): string => ok(`Transfer-Encoding: chunked${headers}`, body);
const bodyOf = (seen: Seen): string => ("body" in seen ? seen.body : seen.code);
const readText = (text: string): Seen => read([Buffer.from(text, "latin1")]);

const whole: readonly (readonly [title: string, response: string, body: string])[] = [
  ["a length", ok("Content-Length: 5", "hello"), "hello"],
  ["a length and more than it says", ok("Content-Length: 5", "hello there"), "hello"],
  ["a length of 0", ok("Content-Length: 0"), ""],
  ["no length at all", ok("X: 1", "until the end"), "until the end"],
  ["no headers at all", ok("", "plain"), "plain"],
  ["chunks", chunked("5\r\nhello\r\nB;n=v\r\n, 11 bytes\n\r\n0\r\n\r\n"), "hello, 11 bytes\n"],
  ["chunks and trailers", chunked("1\r\nx\r\n000\r\nX-Sum: 1\r\nX-Two:\r\n\r\n"), "x"],
  ["chunks that hold line breaks", chunked("6\r\n\r\n0\r\n\r\r\n0\r\n\r\n"), "\r\n0\r\n\r"],
  ["another coding, up to the end", ok("Transfer-Encoding: gzip", "raw"), "raw"],
  ["a coding before chunked", ok("Transfer-Encoding: gzip, Chunked", "1\r\nx\r\n0\r\n\r\n"), "x"],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"],
  ["no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", "ok"],
  ["an empty reason", "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", "ok"],
  [
    "100 Continue and early hints before it",
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok("Content-Length: 2", "ok")}`,
    "ok",
  ],
  ["status 204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", ""],
  ["status 304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", ""],
  ["white space around values", ok("Content-Length: \t 2 \t", "ok"), "ok"],
  ["an empty header value", ok("X:\r\nContent-Length:2", "ok"), "ok"],
  ["bytes beyond ASCII in a value", ok("X: caf\xe9\r\nContent-Length: 2", "ok"), "ok"],
];

const broken: readonly (readonly [title: string, response: string, code: string])[] = [
  ["garbage", "SSH-2.0-OpenSSH_9.2\r\n", "EPROTO"],
  ["HTTP/0.9", "<html>hello</html>", "EPROTO"],
  ["HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "EPROTO"],
  ["another protocol", "RTSP/1.0 200 OK\r\n\r\n", "EPROTO"],
  ["version 3.7", "HTTP/3.7 200 OK\r\n\r\n", "EPROTO"],
  ["version 1.x", "HTTP/1.x 200 OK\r\n\r\n", "EPROTO"],
  ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", "EPROTO"],
  ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", "EPROTO"],
  ["a status of letters", "HTTP/1.1 abc OK\r\n\r\n", "EPROTO"],
  ["line feeds alone", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "EPROTO"],
  ["a line feed alone behind a header", "HTTP/1.1 200 OK\r\nContent-Length: 2\nX: 1\r\n\r\nok", "EPROTO"],
  ["a carriage return within a header", ok("X: a\rEvil: 1\r\nContent-Length: 2", "ok"), "EPROTO"],
  ["a NUL in a header", ok("X: a\0b\r\nContent-Length: 2", "ok"), "EPROTO"],
  ["a folded header", ok("X: a\r\n b\r\nContent-Length: 2", "ok"), "EPROTO"],
  ["a header without a colon", ok("Nothing\r\nContent-Length: 2", "ok"), "EPROTO"],
  ["a header without a name", ok(": 1\r\nContent-Length: 2", "ok"), "EPROTO"],
  ["a space before the colon", ok("X : 1\r\nContent-Length: 2", "ok"), "EPROTO"],
  ["a space before the name", ok(" X: 1\r\nContent-Length: 2", "ok"), "EPROTO"],
  ["two lengths", ok("Content-Length: 2\r\nContent-Length: 3", "ok!"), "EPROTO"],
  ["one length twice", ok("Content-Length: 2\r\nContent-Length: 2", "ok"), "EPROTO"],
  ["a list of lengths", ok("Content-Length: 2, 2", "ok"), "EPROTO"],
  ["a negative length", ok("Content-Length: -1", "ok"), "EPROTO"],
  ["a length with a sign", ok("Content-Length: +2", "ok"), "EPROTO"],
  ["a length in hex", ok("Content-Length: 0x2", "ok"), "EPROTO"],
  ["a length beyond counting", ok("Content-Length: 99999999999999999999999", "ok"), "EPROTO"],
  ["a length beside chunks", chunked("2\r\nok\r\n0\r\n\r\n", "\r\nContent-Length: 2"), "EPROTO"],
  ["chunks beside a length", ok("Content-Length: 2\r\nTransfer-Encoding: chunked", "2\r\nok\r\n0\r\n\r\n"), "EPROTO"],
  ["a chunk size that is none", chunked("zz\r\nok\r\n0\r\n\r\n"), "EPROTO"],
  ["an empty chunk size", chunked("\r\nok\r\n0\r\n\r\n"), "EPROTO"],
  ["a chunk size with a sign", chunked("+2\r\nok\r\n0\r\n\r\n"), "EPROTO"],
  ["a chunk size with 0x", chunked("0x2\r\nok\r\n0\r\n\r\n"), "EPROTO"],
  ["a chunk size behind a space", chunked(" 2\r\nok\r\n0\r\n\r\n"), "EPROTO"],
  ["a chunk size beyond counting", chunked(`${"f".repeat(17)}\r\nok\r\n0\r\n\r\n`), "EPROTO"],
  ["a chunk longer than it says", chunked("2\r\nokay\r\n0\r\n\r\n"), "EPROTO"],
  ["a chunk that ends with a line feed alone", chunked("2\r\nok\n0\r\n\r\n"), "EPROTO"],
  ["a trailer that is no header", chunked("0\r\nnothing\r\n\r\n"), "EPROTO"],
  ["a NUL in a chunk extension", chunked("2;a=\0\r\nok\r\n0\r\n\r\n"), "EPROTO"],
  ["an upgrade that nobody asked for", "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", "EPROTO"],
  ["nothing", "", "ECONNRESET"],
  ["a part of a status line", "HTTP/1.1 2", "ECONNRESET"],
  ["a part of a head", "HTTP/1.1 200 OK\r\nX-A: 1\r\n", "ECONNRESET"],
  ["only interim responses", "HTTP/1.1 100 Continue\r\n\r\n", "ECONNRESET"],
  ["a part of a body", ok("Content-Length: 100", "hello"), "ECONNRESET"],
  ["a part of a chunk", chunked("ff\r\nhello"), "ECONNRESET"],
  ["chunks without the last one", chunked("2\r\nok\r\n"), "ECONNRESET"],
  ["a part of the trailers", chunked("0\r\nX: 1\r\n"), "ECONNRESET"],
  ["a header of 20 KB", ok(`X: ${"a".repeat(20_000)}`), "EHEADERSIZE"],
  ["5,000 headers", ok(Array.from({ length: 5_000 }, (_, n) => `X-${n}: 1`).join("\r\n")), "EHEADERSIZE"],
  ["1,001 short headers", ok(Array.from({ length: 1_001 }, () => "a:").join("\r\n")), "EHEADERSIZE"],
  ["trailers of 20 KB", chunked(`0\r\n${"X: 1234567890\r\n".repeat(1_400)}\r\n`), "EHEADERSIZE"],
  ["chunk extensions of 20 KB in all", chunked(`${"1;a=1234567890\r\nx\r\n".repeat(2_000)}0\r\n\r\n`), "EHEADERSIZE"],
  ["a flood of interim responses", `${"HTTP/1.1 100 Continue\r\n\r\n".repeat(3_000)}${ok("Content-Length: 2", "ok")}`, "EHEADERSIZE"],
];

describe("a response", () => {
  it.each(whole)("with %s is whole", (_title, response, body) => {
    expect(bodyOf(readText(response))).toBe(body);
  });

  it.each(broken)("that is broken is refused: %s", (_title, response, code) => {
    expect(readText(response)).toEqual({ code });
  });

  it("has its names as received, and its values as latin1 without the white space around them", () => {
    const seen = readText(ok("X-A:  caf\xe9 \r\nx-a: \xa0b\xa0\r\n__proto__: c\r\nContent-Length: 0"));
    if (!("head" in seen)) throw new Error(seen.code);
    expect(seen.head.rawHeaders).toEqual(["X-A", "caf\xe9", "x-a", "\xa0b\xa0", "__proto__", "c", "Content-Length", "0"]);
    expect(seen.head.headers["x-a"]).toBe("caf\xe9, \xa0b\xa0");
    expect(Object.keys(seen.head.headers)).toContain("__proto__");
    expect(seen.head).toMatchObject({ status: 200, statusText: "OK" });
  });

  it("to HEAD ends with its head, whatever length it tells", () => {
    expect(bodyOf(read([Buffer.from(ok("Content-Length: 500"))], "no"))).toBe("");
  });

  it("may have as many chunks as it likes", () => {
    const count = 50_000;
    expect(bodyOf(readText(chunked(`${"1\r\nx\r\n".repeat(count)}0\r\n\r\n`)))).toHaveLength(count);
  });

  it("is refused as soon as its first line cannot be one, though the connection stays open", () => {
    const reader = new ResponseReader("10.0.0.1:80", { onHead: () => "no", onBody: () => undefined, onEnd: () => undefined });
    reader.push(Buffer.from("HT"));
    expect(() => reader.push(Buffer.from("ML"))).toThrow(
      expect.objectContaining({ code: "EPROTO", message: expect.stringContaining("10.0.0.1:80") }),
    );
  });
});

describe("however a response is cut", () => {
  const responses = [...whole, ...broken].map(([, response]) => Buffer.from(response, "latin1"));

  it("byte by byte, it is read the same", () => {
    for (const bytes of responses) expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(read([bytes]));
  });

  it("anywhere, it is read the same", () => {
    fc.assert(
      fc.property(fc.constantFrom(...responses), fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }), (bytes, cuts) => {
        const at = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b), bytes.length];
        expect(read(at.slice(1).map((end, index) => bytes.subarray(at[index], end)))).toEqual(read([bytes]));
      }),
    );
  });

  it("and whatever bytes it is changed by, it is read the same or refused, and nothing else is thrown", () => {
    const change = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom("", "\r", "\n", "\r\n", "\0", " ", ":", ";", "0", "f", "\xff", "HTTP/1.1 "),
    );
    fc.assert(
      fc.property(fc.constantFrom(...whole), fc.array(change, { maxLength: 3 }), ([, response], changes) => {
        let text: string = response;
        for (const [where, put] of changes) {
          const at = Math.floor(where * text.length);
          text = text.slice(0, at) + put + text.slice(at + 1);
        }
        const bytes = Buffer.from(text, "latin1");
        expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(read([bytes]));
      }),
      { numRuns: 300 },
    );
  });
});

describe("beside node:http", () => {
  /** On purpose: what follows the last byte of a body is not looked at, only HTTP is HTTP, and all that is no body has a bound. */
  const different: readonly string[] = [
    "a length and more than it says",
    "another protocol",
    "1,001 short headers",
    "trailers of 20 KB",
    "chunk extensions of 20 KB in all",
    "a flood of interim responses",
  ];

  async function byNode(response: string): Promise<string> {
    await using server = await cannedServer(Buffer.from(response, "latin1"));
    try {
      const request = get({ port: server.port, host: "127.0.0.1", agent: false, headers: { connection: "close" } });
      const upgraded = once(request, "upgrade").then(() => "refused");
      const answered = once(request, "response").then(async ([message]) => {
        const parts: Buffer[] = [];
        for await (const part of message as AsyncIterable<Buffer>) parts.push(part);
        return Buffer.concat(parts).toString("latin1");
      });
      return await Promise.race([answered, upgraded]);
    } catch {
      return "refused";
    }
  }

  it.each([...whole, ...broken])("a response is taken or refused alike: %s", async (title, response) => {
    const ours = readText(response);
    const verdict = "body" in ours ? ours.body : "refused";
    expect(verdict === (await byNode(response))).toBe(!different.includes(title));
  });
});
