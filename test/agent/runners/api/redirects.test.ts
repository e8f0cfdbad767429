import { describe, expect, it } from "vitest";
import { createEgressPolicy } from "../../../../src/agent/net/egress-policy.ts";
import { type EchoedRequest, echo, httpServer } from "../../../support/http-servers/http-server.ts";
import { fixedResolver } from "../../../support/run-context.ts";
import { apiChecks } from "./api-check.ts";

const run = apiChecks();
/** `/to?status&location` redirects, `/hops/n` goes on n times, all else echoes. */
const redirectServer = () =>
  httpServer((request, response) => {
    const url = new URL(request.url ?? "", "http://x");
    const hops = /^\/hops\/(\d+)/.exec(url.pathname)?.[1];
    if (url.pathname === "/to")
      response.writeHead(Number(url.searchParams.get("status")), { location: url.searchParams.get("location") ?? "" }).end("moved");
    else if (hops !== undefined && hops !== "0") response.writeHead(302, { location: `/hops/${Number(hops) - 1}` }).end();
    else echo(request, response);
  });
const to = (base: string, status: number, location: string): string =>
  `${base}/to?status=${status}&location=${encodeURIComponent(location)}`;

describe("redirects", () => {
  it("are followed ten times", async () => {
    await using server = await redirectServer();
    const seen = await run({ url: `${server.url}/hops/10` });
    expect(seen).toMatchObject({ failure: null, statusCode: 200 });
    expect(seen.result.redirects).toHaveLength(10);
    expect(server.connections()).toBe(11);
  });

  it("are given up at the eleventh", async () => {
    await using server = await redirectServer();
    const seen = await run({ url: `${server.url}/hops/11` });
    expect(seen.failure?.code).toBe("ETOOMANYREDIRECTS");
    expect(seen.result.redirects).toHaveLength(11);
    expect(server.connections()).toBe(11);
  });

  it("in a loop are named, without their queries", async () => {
    await using server = await httpServer((request, response) =>
      response.writeHead(302, { location: request.url?.startsWith("/a") ? "/b?token=s3cret" : "/a" }).end(),
    );
    const seen = await run({ url: `${server.url}/a` });
    expect(seen.failure).toMatchObject({
      code: "EREDIRECTLOOP",
      message: `redirects in a loop: ${server.url}/a → ${server.url}/b → ${server.url}/a`,
    });
  });

  it("are answers when the check does not follow them, or when they lead nowhere", async () => {
    await using server = await redirectServer();
    const kept = await run({ url: to(server.url, 302, "/x"), followRedirects: false });
    expect(kept).toMatchObject({ statusCode: 302, result: { response: { body: "moved" }, redirects: [] } });
    expect((await run({ url: to(server.url, 302, "") })).statusCode).toBe(302);
  });

  it.each(["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "javascript:alert(1)", "data:text/plain,hi"])(
    "never leave http for %s",
    async (location) => {
      await using server = await redirectServer();
      expect((await run({ url: to(server.url, 302, location) })).failure?.code).toBe("EREDIRECTSCHEME");
    },
  );

  it.each([
    ["POST", 301, "GET", ""],
    ["POST", 302, "GET", ""],
    ["POST", 303, "GET", ""],
    ["PUT", 303, "GET", ""],
    ["HEAD", 303, "HEAD", "{}"],
    ["PUT", 302, "PUT", "{}"],
    ["POST", 307, "POST", "{}"],
    ["POST", 308, "POST", "{}"],
    ["DELETE", 301, "DELETE", "{}"],
  ] as const)("turn %s after %i into %s", async (method, status, expected, body) => {
    const asked: [string | undefined, string][] = [];
    await using server = await httpServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (request.url === "/next") asked.push([request.method, Buffer.concat(chunks).toString()]);
        response.writeHead(request.url === "/next" ? 200 : status, { location: "/next" }).end();
      });
    });
    await run({ method, url: server.url, body: "{}", bodyType: "JSON" });
    expect(asked).toEqual([[expected, body]]);
  });

  it("take no credentials and no Host to another origin", async () => {
    await using from = await redirectServer();
    await using target = await redirectServer();
    const headers = [
      { key: "Authorization", value: "Bearer t" },
      { key: "cookie", value: "s=1" },
      { key: "Proxy-Authorization", value: "Basic x" },
      { key: "X-Token", value: "locked one", locked: true },
      { key: "X-Kept", value: "yes" },
      { key: "Host", value: "virtual.example" },
    ];
    const elsewhere = JSON.parse((await run({ url: to(from.url, 307, `${target.url}/x`), headers })).facts.text()) as EchoedRequest;
    expect(elsewhere.headers).toMatchObject({ host: new URL(target.url).host, "x-kept": "yes" });
    for (const name of ["authorization", "cookie", "proxy-authorization", "x-token"]) expect(elsewhere.headers).not.toHaveProperty(name);
    const basic = JSON.parse(
      (await run({ url: to(from.url, 307, `${target.url}/x`), basicAuth: { username: "u", password: "p" } })).facts.text(),
    ) as EchoedRequest;
    expect(basic.headers).not.toHaveProperty("authorization");
    const same = JSON.parse((await run({ url: to(from.url, 307, "/x"), headers })).facts.text()) as EchoedRequest;
    expect(same.headers).toMatchObject({ authorization: "Bearer t", cookie: "s=1", host: "virtual.example" });
  });

  it("to a denied address send no packet there (H-09)", async () => {
    await using from = await redirectServer();
    await using inner = await httpServer(echo, "127.0.0.2");
    const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: ["127.0.0.2"], mode: "default", ownPorts: [] });
    const byAddress = await run({ url: to(from.url, 302, inner.url) }, { egress });
    expect(byAddress.failure?.code).toBe("EPOLICY");
    const byName = await run(
      { url: to(from.url, 302, `http://inner.test:${inner.port}/`) },
      { egress, resolver: fixedResolver({ "inner.test": ["127.0.0.2"] }) },
    );
    expect(byName.failure?.code).toBe("EPOLICY");
    expect(inner.connections()).toBe(0);
  });

  it.each([
    "http://169.254.169.254/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/",
    "http://[::ffff:169.254.169.254]/",
    "http://metadata.google.internal/",
  ])("and first requests are denied at %s (H-09)", async (url) => {
    const resolver = fixedResolver({ "metadata.google.internal": ["127.0.0.1"] });
    expect((await run({ url }, { resolver })).failure).toMatchObject({ code: "EPOLICY" });
  });
});
