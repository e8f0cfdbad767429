import { UrlCheckSettings } from "#contract/checks/url.ts";
import { judgedRun } from "../../../../src/agent/judgement/judged-run.ts";
import { createStubResolver } from "../../../../src/agent/net/stub-resolver.ts";
import { createTrust } from "../../../../src/agent/net/tls.ts";
import { createApiRunner } from "../../../../src/agent/runners/api/api-runner.ts";
import { createUrlRunner } from "../../../../src/agent/runners/api/url-runner.ts";
import { dnsServer } from "../../../support/dns-server.ts";
import { httpServer } from "../../../support/http-servers/http-server.ts";
import { openPolicy, runContext } from "../../../support/run-context.ts";

/** What the checks of a list of addresses came to, each directly and by a redirect: `code`, or null for an answer. */
export type Codes = Readonly<Record<string, { readonly directly: string | null; readonly byRedirect: string | null }>>;

/**
 * Runs in a namespace of its own: `metadata-child.ts <addresses as JSON>`. Names below `rebound.test` resolve to what stands before it,
 * with dashes for colons (`both.…`: to this host first), all others to this host.
 */
await using dns = await dnsServer((name, type) => {
  if (!name.endsWith(".test")) return type === 1 ? { addresses: ["127.0.0.1"] } : { rcode: "NODATA" };
  const isIPv6 = name.includes("-");
  if ((type === 28) !== isIPv6) return { rcode: "NODATA" };
  const address = name
    .replace(/^both\./, "")
    .replace(/\.rebound\.test$/, "")
    .replaceAll("-", ":");
  return { addresses: name.startsWith("both.") ? [isIPv6 ? "0:0:0:0:0:0:0:1" : "127.0.0.1", address] : [address] };
});
await using redirecting = await httpServer((request, response) => {
  const location = decodeURIComponent(request.url?.slice(2) ?? "").replace(/[^!-~]/g, encodeURIComponent);
  response.writeHead(302, { location }).end();
});
const trust = createTrust([]);
const runner = createUrlRunner(createApiRunner(() => trust));
const resolver = createStubResolver({ servers: [dns.address], resolvConfPath: "/dev/null" });

async function codeOf(url: string): Promise<string | null> {
  const ipFamily = url.includes("-") && url.includes("rebound") ? "IPv6" : "IPv4";
  const settings = UrlCheckSettings.parse({ request: { url, ipFamily }, degradedResponseTime: null, maxResponseTime: null });
  const signal = AbortSignal.timeout(3_000);
  const run = await judgedRun("URL", runner, settings, runContext({ resolver, egress: openPolicy, signal })).catch(() => null);
  return run === null ? "gone out" : (run.observation.failure?.code ?? null);
}

const codes: Record<string, Codes[string]> = {};
for (const url of JSON.parse(process.argv[2] ?? "[]") as string[]) {
  codes[url] = { directly: await codeOf(url), byRedirect: await codeOf(`${redirecting.url}/?${encodeURIComponent(url)}`) };
}
process.stdout.write(JSON.stringify(codes));
