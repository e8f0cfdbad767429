import { createServer as createTlsServer } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { createEgress } from "../../../../src/control-plane/outgoing/egress.ts";
import { type ChannelHttp, createChannelHttp, type HttpLimits } from "../../../../src/control-plane/outgoing/http-client.ts";
import { deliverByHttp } from "../../../../src/control-plane/outgoing/http-outcome.ts";
import { makeCertificates } from "../../../support/certificates.ts";
import { freePort } from "../../../support/free-ports.ts";
import { rawServer, serve } from "../../../support/http-servers/raw-server.ts";
import { silentPort } from "../../../support/http-servers/silent-port.ts";
import { neverAborted, receiver } from "./receiver.ts";

/** Short where the test waits for one of them; the others never come. */
const limits = (changes: Partial<HttpLimits>): HttpLimits => ({
  connectMs: 60_000,
  headersMs: 60_000,
  bodyMs: 60_000,
  wholeMs: 60_000,
  ...changes,
});
const made: ChannelHttp[] = [];
const client = (
  changes: Partial<HttpLimits> = {},
  egress = createEgress({ mode: "default", allowCidrs: [] }),
  cas?: readonly string[],
): ChannelHttp => {
  const http = createChannelHttp({ egress, nowMs: Date.now, limits: limits(changes), ...(cas && { cas }) });
  made.push(http);
  return http;
};
afterAll(async () => void (await Promise.all(made.map((http) => http.close()))));

const deliver = (url: string, http = client(), more: { readonly secrets?: readonly string[]; readonly repeatsAll4xx?: boolean } = {}) =>
  deliverByHttp(http, { call: { method: "POST", url: new URL(url), headers: {}, body: "{}" }, secrets: [], ...more }, neverAborted);

describe("a receiver that answers", () => {
  it.each([
    [200, { ok: true, status: "200 said" }],
    [204, { ok: true, status: "204" }],
    [400, { ok: false, isRetryable: false, isReceiverDown: false, status: "400 said" }],
    [408, { ok: false, isRetryable: true, isReceiverDown: false }],
    [429, { ok: false, isRetryable: true, isReceiverDown: true }],
    [500, { ok: false, isRetryable: true, isReceiverDown: true, status: "500 said" }],
    [503, { ok: false, isRetryable: true, isReceiverDown: true }],
  ])("with %s", async (code, expected) => {
    await using service = await receiver((response) => response.writeHead(code).end("said"));
    expect(await deliver(service.url)).toMatchObject(expected);
  });

  it("with 404 is asked again where the contract has webhooks repeated on every status from 400", async () => {
    await using service = await receiver((response) => response.writeHead(404).end());
    expect(await deliver(service.url, client(), { repeatsAll4xx: true })).toMatchObject({ ok: false, isRetryable: true });
  });

  it("with Retry-After is asked again when it wishes", async () => {
    await using service = await receiver((response) => response.writeHead(429, { "retry-after": "75" }).end());
    expect(await deliver(service.url)).toMatchObject({ ok: false, retryAfterMs: 75_000 });
  });

  it("with a redirect is not followed, and not asked again", async () => {
    await using inside = await receiver();
    await using service = await receiver((response) => response.writeHead(307, { location: inside.url }).end());
    expect(await deliver(service.url)).toMatchObject({ ok: false, isRetryable: false, status: "307: redirects are not followed" });
    expect(inside.received).toEqual([]);
  });

  it("with more than anyone reads has delivered, and its answer is cut", async () => {
    await using service = await receiver((response) => {
      response.on("error", () => undefined);
      const more = (): void => {
        while (response.writable && response.write("x".repeat(65_536)));
        response.once("drain", more);
      };
      more();
    });
    const outcome = await deliver(service.url);
    expect(outcome.ok).toBe(true);
    expect(outcome.status).toHaveLength(500);
  });

  it("with its status and then nothing has delivered", async () => {
    await using service = await receiver((response) => response.writeHead(202).write("beg"));
    expect(await deliver(service.url, client({ bodyMs: 50 }))).toEqual({ ok: true, status: "202 beg" });
  });

  it("with line breaks and our own secrets leaves neither in the log", async () => {
    const [key, address] = ["key-of-the-service", "/hooks/T0001/secret-path"];
    await using service = await receiver((response, request) =>
      response.end(`got\r\n${request.url} with ${key} and ${Buffer.from(key).toString("base64")}`),
    );
    const { status } = await deliver(`${service.url}${address}`, client(), { secrets: [key, address] });
    expect(status).toBe("200 got ******** with ******** and ********");
  });
});

describe("a receiver that does not answer", () => {
  const noAnswer = { ok: false, isRetryable: true, isReceiverDown: true };

  it("because nobody listens", async () => {
    const gone = await freePort();
    const outcome = await deliver(`http://127.0.0.1:${gone}/`);
    expect(outcome).toMatchObject(noAnswer);
    expect(outcome.status).toContain("ECONNREFUSED");
  });

  it("because it resets the connection", async () => {
    await using service = await rawServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(await deliver(`http://127.0.0.1:${service.port}`)).toMatchObject(noAnswer);
  });

  it("because it closes the connection", async () => {
    await using service = await rawServer((socket) => socket.once("data", () => socket.end()));
    expect(await deliver(`http://127.0.0.1:${service.port}`)).toMatchObject(noAnswer);
  });

  it("because it speaks something else", async () => {
    await using service = await rawServer((socket) => socket.once("data", () => socket.end("220 mail.example ESMTP\r\n\r\n")));
    expect(await deliver(`http://127.0.0.1:${service.port}`)).toMatchObject(noAnswer);
  });

  it("because it never takes the connection", async () => {
    await using silent = await silentPort("127.0.0.1");
    expect(await deliver(`http://127.0.0.1:${silent.port}`, client({ connectMs: 100 }))).toMatchObject(noAnswer);
  });

  it("because it says nothing", async () => {
    await using service = await rawServer(() => undefined);
    expect(await deliver(`http://127.0.0.1:${service.port}`, client({ headersMs: 100 }))).toMatchObject(noAnswer);
  });

  it("because it drips its headers until the whole time is over", async () => {
    await using service = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const drip = setInterval(() => socket.write("x: y\r\n"), 10);
      socket.on("close", () => clearInterval(drip));
    });
    const outcome = await deliver(`http://127.0.0.1:${service.port}`, client({ wholeMs: 150 }));
    expect(outcome).toMatchObject({ ...noAnswer, status: "the request took longer than 150 ms" });
  });

  it("because its name has no address", async () => {
    const outcome = await deliver("http://nobody.invalid/");
    expect(outcome).toMatchObject(noAnswer);
    expect(outcome.status).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });

  it("is left at once when the sender is told to stop", async () => {
    await using service = await rawServer(() => undefined);
    const stop = new AbortController();
    const call = { method: "POST", url: new URL(`http://127.0.0.1:${service.port}`), headers: {}, body: "" } as const;
    const delivery = deliverByHttp(client(), { call, secrets: [] }, stop.signal);
    stop.abort(new Error("shut down"));
    await expect(delivery).rejects.toThrow("shut down");
  });
});

describe("TLS", () => {
  it("is verified: a certificate of a stranger, an old one and that of another host are refused", async () => {
    using certificates = makeCertificates();
    for (const [name, problem] of [
      ["selfSigned", /self.signed/i],
      ["expired", /expired/i],
      ["wrongHost", /ALTNAME|does not match/i],
    ] as const) {
      await using service = await serve(createTlsServer(certificates.pair(name)), "secureConnection", () => undefined);
      const outcome = await deliver(
        `https://localhost:${service.port}`,
        client({}, createEgress({ mode: "default", allowCidrs: [] }), [certificates.ca]),
      );
      expect(outcome).toMatchObject({ ok: false, isRetryable: true });
      expect(outcome.status).toMatch(problem);
    }
  });

  it("carries the message where the certificate is good", async () => {
    using certificates = makeCertificates();
    const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    await using service = await serve(createTlsServer(certificates.pair("good")), "secureConnection", (socket) => {
      socket.once("data", () => socket.end(answer));
    });
    const http = client({}, createEgress({ mode: "default", allowCidrs: [] }), [certificates.ca]);
    expect(await deliver(`https://localhost:${service.port}`, http)).toEqual({ ok: true, status: "200 ok" });
  });
});

describe("the egress policy", () => {
  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://[fd00:ec2::254]/",
    "http://[::ffff:169.254.169.254]/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0.0.0.0/",
    "http://100.100.100.200/",
  ])("denies %s for good, and tells the log so", async (url) => {
    const outcome = await deliver(url);
    expect(outcome).toMatchObject({ ok: false, isRetryable: false, isReceiverDown: false });
    expect(outcome.status).toContain("egress policy");
  });

  it("leaves private networks open, by address and by name", async () => {
    await using service = await receiver();
    expect(await deliver(service.url)).toMatchObject({ ok: true });
    expect(await deliver(service.url.replace("127.0.0.1", "localhost"))).toMatchObject({ ok: true });
  });

  it("denies them where the installation is public only, after the name is resolved", async () => {
    await using service = await receiver();
    const http = client({}, createEgress({ mode: "public-only", allowCidrs: [] }));
    for (const host of ["127.0.0.1", "localhost"]) {
      const outcome = await deliver(service.url.replace("127.0.0.1", host), http);
      expect(outcome).toMatchObject({ ok: false, isRetryable: false });
      expect(outcome.status).toContain("egress policy");
    }
    expect(service.connections()).toBe(0);
  });
});
