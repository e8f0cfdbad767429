import { expect, it, vi } from "vitest";
import { newDialTrace } from "../../../src/agent/net/connection.ts";
import { dial } from "../../../src/agent/net/dial.ts";
import { StepWatch } from "../../../src/agent/net/step-watch.ts";
import { rawServer } from "../../support/http-servers/raw-server.ts";
import { openPolicy } from "../../support/run-context.ts";

/** A host whose only IPv6 addresses are ::1 and a link-local one. */
vi.mock("node:os", () => ({
  networkInterfaces: () => ({
    lo: [{ family: "IPv6", address: "::1", internal: true, scopeid: 0 }],
    eth0: [
      { family: "IPv6", address: "fe80::1", internal: false, scopeid: 2 },
      { family: "IPv4", address: "10.0.0.2", internal: false },
    ],
  }),
}));

it.each([
  ["app.test", "IPv4", "127.0.0.1"],
  ["localhost", "IPv6", "::1"],
] as const)("without IPv6 on the host a check of %s by IPv6 goes over %s, and says so", async (host, ipFamily, listen) => {
  await using server = await rawServer(() => undefined, listen);
  const resolver = { resolve: (_host: string, family: 4 | 6) => Promise.resolve([family === 6 ? "::1" : "127.0.0.1"]) };
  const watch = new StepWatch(new AbortController().signal);
  const trace = newDialTrace();
  const target = { host, port: server.port, ipFamily: "IPv6", tls: null } as const;
  (await dial(target, { resolver, egress: openPolicy, monotonicMs: () => performance.now(), watch }, trace)).destroy();
  expect(trace.connection).toMatchObject({ ipFamily, remoteAddress: listen });
});
