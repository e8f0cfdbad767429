import { describe, expect, it } from "vitest";
import { createEgressPolicy } from "../../../src/agent/net/egress-policy.ts";
import { ProbeError } from "../../../src/agent/net/probe-error.ts";
import type { Resolver } from "../../../src/agent/net/resolver.ts";
import { freePort } from "../../support/free-ports.ts";
import { cannedServer } from "../../support/http-servers/raw-server.ts";
import { fixedResolver } from "../../support/run-context.ts";
import { apiChecks } from "../runners/api/api-check.ts";

const run = apiChecks();
const resolver = fixedResolver({ "app.test": ["127.0.0.1"] });

describe("the trail of an API check", () => {
  it("leads to what was dialled when the network failed it", async () => {
    const port = await freePort();
    const seen = await run({ url: `http://app.test:${port}/` }, { resolver });
    expect(seen.trail).toEqual({ host: "app.test", port, ipFamily: "IPv4", address: "127.0.0.1", tls: false, code: "ECONNREFUSED" });
  });

  it("leads to the hop that failed, not to those before it", async () => {
    const port = await freePort();
    await using server = await cannedServer(`HTTP/1.1 302 Found\r\nLocation: https://app.test:${port}/\r\nContent-Length: 0\r\n\r\n`);
    const seen = await run({ url: `http://127.0.0.1:${server.port}/` }, { resolver });
    expect(seen.trail).toMatchObject({ host: "app.test", port, tls: true, code: "ECONNREFUSED" });
  });

  it("leads into a handshake that failed", async () => {
    await using server = await cannedServer("HTTP/1.1 400 Bad Request\r\n\r\n");
    const seen = await run({ url: `https://app.test:${server.port}/` }, { resolver });
    expect(seen.trail).toMatchObject({ address: "127.0.0.1", port: server.port, tls: true, code: "EPROTO" });
  });

  it("has no address where the name was not found", async () => {
    const unknown: Resolver = { resolve: () => Promise.reject(new ProbeError("ENOTFOUND", "no such host")) };
    const seen = await run({ url: "https://gone.test/" }, { resolver: unknown });
    expect(seen.trail).toEqual({ host: "gone.test", port: 443, ipFamily: "IPv4", address: null, tls: true, code: "ENOTFOUND" });
  });

  it("is none behind a proxy, where the policy said no, and where the target answered", async () => {
    const port = await freePort();
    await using server = await cannedServer("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: ["127.0.0.0/8"], mode: "default", ownPorts: [] });
    const seen = await Promise.all([
      run({ url: "http://app.test/" }, { proxyUrl: `http://127.0.0.1:${port}` }),
      run({ url: `http://127.0.0.1:${port}/` }, { egress }),
      run({ url: `http://127.0.0.1:${server.port}/` }),
    ]);
    expect(seen.map(({ trail }) => trail ?? null)).toEqual([null, null, null]);
  });
});
