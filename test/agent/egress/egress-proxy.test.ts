import { once } from "node:events";
import { createServer as createHttpServer, request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { EgressProxy } from "../../../src/agent/egress/egress-proxy.ts";
import type { Network } from "../../../src/agent/egress/network.ts";
import { openNetwork } from "../sandbox/sandbox-under-test.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function proxyOf(rules: Parameters<typeof openNetwork>[0] = {}, more: Partial<Network> = {}): Promise<EgressProxy> {
  const proxy = await EgressProxy.open();
  closing.push(() => proxy.close());
  proxy.serve({ ...openNetwork(rules), trust: () => ({ context: {} }), ...more });
  return proxy;
}

/** All that the proxy answers to a CONNECT, until it has said `until` or ended. */
async function tunnelled({ port, authorization }: EgressProxy, target: string, until: RegExp): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  closing.push(() => socket.destroy());
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: ${authorization}\r\n\r\n`);
  let seen = "";
  for await (const chunk of socket) {
    seen += String(chunk);
    if (until.test(seen)) break;
  }
  return seen;
}

/** The answer to a request with a whole address. */
async function asked(
  { port }: EgressProxy,
  path: string,
  headers: Record<string, string>,
): Promise<{ readonly answer: IncomingMessage; readonly body: string }> {
  const request = httpRequest({ host: "127.0.0.1", port, path, headers, agent: false }).end();
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  let body = "";
  for await (const chunk of answer) body += String(chunk);
  return { answer, body };
}

describe("CONNECT", () => {
  it("answers with 128 bytes that name the peer, and then what the server says", async () => {
    const port = await listening(createServer((socket) => socket.end("220 banner")));
    const seen = await tunnelled(await proxyOf(), `localhost:${port}`, /banner/);
    expect(seen.slice(128)).toBe("220 banner");
    expect(seen.slice(0, 128)).toMatch(new RegExp(`^HTTP/1\\.1 200 .+\\r\\nx-outpost-peer: 127\\.0\\.0\\.1:${port} +\\r\\n\\r\\n$`));
  });

  it.each([
    ["127.0.0.1:1", 502, "ECONNREFUSED"],
    ["169.254.169.254:80", 403, "EPOLICY"],
    ["metadata.google.internal:80", 403, "EPOLICY"],
    ["nothing.invalid:80", 502, "ENOTFOUND"],
    ["127.0.0.1", 400, "EINVAL"],
    ["127.0.0.1:99999", 400, "EINVAL"],
  ])("to %s is refused with %i and %s", async (target, status, code) => {
    const resolver = {
      resolve: (host: string) =>
        host.includes(".invalid") ? Promise.reject(Object.assign(new Error("none"), { code: "ENOTFOUND" })) : Promise.resolve([host]),
    };
    const seen = await tunnelled(await proxyOf({}, { resolver }), target, /\}/);
    expect(seen).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]+x-outpost-error: ${code}\\r\\n[^]+"code":"${code}"`));
  });

  it("goes through the location's proxy, and loses nothing that comes with its answer", async () => {
    const onward = createHttpServer().on("connect", (_request, client) => client.end("HTTP/1.1 200 OK\r\n\r\n220 banner"));
    const proxyUrl = `http://127.0.0.1:${await listening(onward)}`;
    expect(await tunnelled(await proxyOf({}, { proxyUrl }), "mail.test:25", /banner/)).toMatch(/220 banner$/);
  });

  it("ends with the run, on both sides", async () => {
    const ended = Promise.withResolvers<void>();
    const port = await listening(
      createServer((socket) =>
        socket
          .on("error", () => {})
          .once("close", () => ended.resolve())
          .write("hello"),
      ),
    );
    const proxy = await proxyOf();
    await tunnelled(proxy, `127.0.0.1:${port}`, /hello/);
    proxy.close();
    await ended.promise;
    const late = connect(proxy.port, "127.0.0.1");
    const [error] = (await once(late, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });
});

describe("a request with a whole address", () => {
  const echo = (): Server =>
    createHttpServer((request, response) => response.writeHead(201, { "x-seen": request.url }).end(JSON.stringify(request.headers)));

  it("is sent on to its host, without what is the proxy's", async () => {
    const port = await listening(echo());
    const proxy = await proxyOf();
    const { answer, body } = await asked(proxy, `http://127.0.0.1:${port}/a?b=1`, {
      host: "h",
      "proxy-authorization": proxy.authorization,
      "x-own": "1",
    });
    expect([answer.statusCode, answer.headers["x-seen"]]).toEqual([201, "/a?b=1"]);
    expect(JSON.parse(body)).toMatchObject({ host: "h", "x-own": "1" });
    expect(body).not.toContain("proxy-authorization");
  });

  it("goes whole to the location's proxy, with its password", async () => {
    const proxyUrl = `http://user:secret@127.0.0.1:${await listening(echo())}`;
    const proxy = await proxyOf({}, { proxyUrl });
    const { answer, body } = await asked(proxy, "http://only-there.test/a", { "proxy-authorization": proxy.authorization });
    expect(answer.headers["x-seen"]).toBe("http://only-there.test/a");
    expect(JSON.parse(body)).toMatchObject({ "proxy-authorization": `Basic ${Buffer.from("user:secret").toString("base64")}` });
  });

  it("is refused where the policy does not allow its host, and without the password", async () => {
    const proxy = await proxyOf();
    const { answer } = await asked(proxy, "http://0xa9fea9fe/", { "proxy-authorization": proxy.authorization });
    expect([answer.statusCode, answer.headers["x-outpost-error"]]).toEqual([403, "EPOLICY"]);
    expect((await asked(proxy, "http://127.0.0.1/", {})).answer.statusCode).toBe(407);
  });
});

it("the processes of one user need no password where they are trusted, and those of others do", async () => {
  const own = process.getuid?.() ?? 0;
  for (const [trustedUser, status] of [
    [own, 403],
    [own + 1, 407],
  ] as const) {
    const proxy = await EgressProxy.open({ trustedUser });
    closing.push(() => proxy.close());
    proxy.serve({ ...openNetwork(), trust: () => ({ context: {} }) });
    expect((await asked(proxy, "http://169.254.169.254/", {})).answer.statusCode).toBe(status);
    expect(proxy.refusals.map(({ host, code }) => [host, code])).toEqual(status === 403 ? [["169.254.169.254", "EPOLICY"]] : []);
  }
});

it("nothing is let through before the run", async () => {
  const proxy = await EgressProxy.open();
  closing.push(() => proxy.close());
  expect(await tunnelled(proxy, "127.0.0.1:1", /\}/)).toMatch(/^HTTP\/1\.1 403 /);
});

it("names are looked up as checks do, and denied ones are not asked for", async () => {
  const proxy = await proxyOf();
  const headers = { "proxy-authorization": proxy.authorization };
  expect(JSON.parse((await asked(proxy, "/lookup?host=localhost&family=4", headers)).body)).toEqual([{ address: "127.0.0.1", family: 4 }]);
  expect((await asked(proxy, "/records?name=metadata.google.internal&type=A", headers)).answer.headers["x-outpost-error"]).toBe("EPOLICY");
  expect((await asked(proxy, "/records?name=x&type=AXFR", headers)).body).toContain("type must be one of");
  expect((await asked(proxy, "/lookup?host=x&family=5", headers)).body).toContain("family must be 0, 4 or 6");
});
