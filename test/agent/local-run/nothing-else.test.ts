import { expect, it } from "vitest";
import { outpostProgram } from "../../support/built-program.ts";
import { httpServer } from "../../support/http-servers/http-server.ts";
import { networkNamespace, noNamespaces } from "../../support/namespace.ts";

it("outpost run sends packets to its target and nowhere else, whatever agents are told by variables", async (context) => {
  if (noNamespaces !== null) return context.skip(`skipped: ${noNamespaces}`);
  await using namespace = await networkNamespace();
  await using server = await httpServer((_request, response) => response.end("ok"), namespace.outside.ipv4);
  await namespace.nft(`table inet watch {
    counter target { }
    counter elsewhere { }
    chain out { type filter hook output priority 0;
      ip daddr ${namespace.outside.ipv4} tcp dport ${server.port} counter name target accept
      oifname != "lo" meta l4proto { tcp, udp, icmp } counter name elsewhere
    }
  }`);
  const { stdout, exitCode } = await namespace.run(process.execPath, [...outpostProgram(), "run", "-"], {
    input: `{checkType: URL, request: {url: "${server.url}"}}`,
    env: { API_URL: "http://203.0.113.1/", API_KEY: `pl_${"0".repeat(32)}`, HTTP_PROXY: "http://203.0.113.2:3128" },
  });
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("✓ passed")]);
  const { target, elsewhere } = await namespace.counters();
  expect(target?.packets).toBeGreaterThan(0);
  expect(elsewhere?.packets).toBe(0);
});
