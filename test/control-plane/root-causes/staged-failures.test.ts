import { createServer as createSecureServer } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { traceText } from "../../../src/agent/evidence/trace-text.ts";
import type { HopAnswer } from "../../../src/agent/net/trace/hop-answer.ts";
import type { StoredAnalysis } from "../../../src/control-plane/root-causes/stored-analysis.ts";
import type { CauseKind } from "../../../src/domain/root-causes/cause.ts";
import { type Certificates, makeCertificates } from "../../support/certificates.ts";
import { type DnsReply, dnsServer } from "../../support/dns-server.ts";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { rawServer, serve } from "../../support/http-servers/raw-server.ts";
import { silentPort } from "../../support/http-servers/silent-port.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import { type FailingSite, failingSite } from "./failing-site.ts";

interface Scene {
  readonly title: string;
  /** What the analysis must name: first of all, or beside what the run itself shows. */
  readonly cause: CauseKind;
  readonly isFirst: boolean;
  /** A check that is degraded has no error to ask about. */
  readonly of?: "standing";
  /** A word that a person needs in the sentence. */
  readonly says: RegExp;
  /** Passes once, fails once. @returns the check that is asked about; all are deleted afterwards */
  readonly stage: (stack: AsyncDisposableStack) => Promise<readonly [string, ...string[]]>;
}

/** Each host of a scene has an address of its own, so that scenes share none. */
let hosts = 10;
const nextHost = (): string => `127.0.1.${(hosts += 1)}`;

describe("staged failures: rules name the cause", { timeout: 90_000 }, () => {
  let site: FailingSite;
  let certificates: Certificates;
  const all = new AsyncDisposableStack();
  beforeAll(async () => {
    certificates = all.use(makeCertificates());
    site = all.use(await failingSite());
    const env = { NODE_EXTRA_CA_CERTS: `${certificates.folder}/ca.pem` };
    all.use(await site.agent(await site.location("north"), env));
    all.use(await site.agent(await site.location("west"), env));
  }, 120_000);
  afterAll(() => all.disposeAsync());

  const get = (url: string, more: object = {}) => ({ request: { method: "GET", url, ...more } });
  const api = (url: string, more: object = {}) => site.make("api", { ...get(url), ...more });

  /** A server whose answer is changed while its check runs. */
  const changing = async (stack: AsyncDisposableStack) => {
    const answer = { status: 200, body: "ok", delayMs: 0, bodyDelayMs: 0, location: "", isSilent: false, cuts: false };
    const host = nextHost();
    const server: HttpServer = await httpServer((request, response) => {
      if (answer.cuts) return void request.socket.destroy();
      if (answer.isSilent) return;
      setTimeout(() => {
        response.writeHead(answer.status, answer.location === "" ? {} : { location: answer.location });
        if (answer.bodyDelayMs > 0) response.write(" ");
        setTimeout(() => response.end(answer.body), answer.bodyDelayMs);
      }, answer.delayMs);
    }, host);
    stack.use(server);
    return { answer, host, url: server.url, server };
  };

  /** Of a server whose answer becomes a bad one. */
  const becomes =
    (change: Partial<Awaited<ReturnType<typeof changing>>["answer"]>, more: object = {}): Scene["stage"] =>
    async (stack) => {
      const { answer, url } = await changing(stack);
      const check = await site.make("api", { ...get(url), ...more });
      await site.run(check);
      Object.assign(answer, change);
      await site.run(check);
      return [check];
    };

  /** Fast twice, then slow in one part, and still below what fails. */
  const slows =
    (change: Partial<Awaited<ReturnType<typeof changing>>["answer"]>): Scene["stage"] =>
    async (stack) => {
      const { answer, url } = await changing(stack);
      const check = await api(url, { degradedResponseTime: 400, maxResponseTime: 20_000 });
      for (let count = 0; count < 2; count += 1) await site.run(check);
      Object.assign(answer, change);
      await site.run(check);
      return [check];
    };

  const certificateBecomes =
    (name: "expired" | "wrongHost" | "selfSigned"): Scene["stage"] =>
    async (stack) => {
      const server = createSecureServer(certificates.pair("good"), (_request, response) => response.end("ok"));
      const { port } = stack.use(await serve(server, "listening", () => undefined));
      const check = await api(`https://127.0.0.1:${port}/`);
      await site.run(check);
      server.setSecureContext(certificates.pair(name));
      await site.run(check);
      return [check];
    };

  const dnsBecomes =
    (reply: DnsReply): Scene["stage"] =>
    async (stack) => {
      let now: DnsReply = { addresses: ["192.0.2.1"] };
      const server = stack.use(await dnsServer(() => now));
      const request = { query: "shop.example", recordType: "A", nameServer: "127.0.0.1", port: server.port, protocol: "UDP" };
      const assertions = [{ source: "TEXT_ANSWER", comparison: "CONTAINS", target: "192.0.2.1" }];
      const check = await site.make("dns", { request: { ...request, assertions } });
      await site.run(check);
      now = reply;
      await site.run(check);
      return [check];
    };

  const scenes: readonly Scene[] = [
    {
      title: "the service is stopped",
      cause: "refused",
      isFirst: true,
      says: /Nothing listens/,
      stage: async () => {
        const server = await httpServer((_request, response) => response.end("ok"), nextHost());
        const check = await api(server.url);
        await site.run(check);
        await server[Symbol.asyncDispose]();
        await site.run(check);
        return [check];
      },
    },
    {
      title: "the service fails inside",
      cause: "server-error",
      isFirst: true,
      says: /500 \(200 in the last good run\)/,
      stage: becomes({ status: 500 }),
    },
    {
      title: "the load balancer has no server",
      cause: "server-error",
      isFirst: true,
      says: /no healthy server/,
      stage: becomes({ status: 503 }),
    },
    { title: "a password has expired", cause: "access", isFirst: true, says: /credentials/, stage: becomes({ status: 401 }) },
    { title: "a path is gone", cause: "missing-page", isFirst: true, says: /not there any more/, stage: becomes({ status: 404 }) },
    { title: "the check asks too often", cause: "rate-limit", isFirst: true, says: /how often/, stage: becomes({ status: 429 }) },
    {
      title: "the answer changes its form",
      cause: "answer-changed",
      isFirst: true,
      says: /does not fit the check/,
      stage: async (stack) => {
        const { answer, url } = await changing(stack);
        answer.body = '{"stock": 3}';
        const check = await api(
          url,
          get(url, { assertions: [{ source: "JSON_BODY", property: "$.stock", comparison: "EQUALS", target: "3" }] }),
        );
        await site.run(check);
        answer.body = '{"inStock": 3}';
        await site.run(check);
        return [check];
      },
    },
    {
      title: "the service becomes slow",
      cause: "slow",
      isFirst: true,
      says: /slowly/,
      stage: becomes({ delayMs: 600 }, { degradedResponseTime: 200, maxResponseTime: 400 }),
    },
    { title: "the service hangs", cause: "timeout", isFirst: true, says: /does not answer in time/, stage: becomes({ isSilent: true }) },
    {
      title: "the service closes connections",
      cause: "closed",
      isFirst: true,
      says: /closed the connection/,
      stage: becomes({ cuts: true }),
    },
    {
      title: "a firewall drops packets",
      cause: "timeout",
      isFirst: true,
      says: /does not answer connection attempts/,
      stage: async (stack) => {
        const host = nextHost();
        const server = await httpServer((_request, response) => response.end("ok"), host);
        const check = await api(server.url);
        await site.run(check);
        await server[Symbol.asyncDispose]();
        stack.use(await silentPort(host, server.port));
        await site.run(check);
        return [check];
      },
    },
    {
      title: "the certificate expires",
      cause: "certificate",
      isFirst: true,
      says: /expired on \d{4}-/,
      stage: certificateBecomes("expired"),
    },
    {
      title: "another name's certificate is served",
      cause: "certificate",
      isFirst: true,
      says: /other names/,
      stage: certificateBecomes("wrongHost"),
    },
    {
      title: "nobody knows who signed the certificate",
      cause: "certificate",
      isFirst: true,
      says: /signed by itself/,
      stage: certificateBecomes("selfSigned"),
    },
    {
      title: "a certificate is about to end",
      cause: "certificate",
      isFirst: true,
      says: /ends in \d days/,
      stage: async (stack) => {
        const ending = stack.use(makeCertificates({ goodDays: 6 }));
        const server = createSecureServer(certificates.pair("good"), (_request, response) => response.end("ok"));
        const { port } = stack.use(await serve(server, "listening", () => undefined));
        const sslConfig = {
          hostname: "127.0.0.1",
          port,
          skipChainValidation: true,
          alertDaysBeforeExpiry: 3,
          securityBaseline: { enabled: false },
        };
        const assertions = [{ source: "CERTIFICATE", property: "daysUntilExpiry", comparison: "GREATER_THAN", target: "14" }];
        const check = await site.make("ssl", { request: { sslConfig, assertions } });
        await site.run(check);
        server.setSecureContext(ending.pair("good"));
        await site.run(check);
        return [check];
      },
    },
    {
      title: "a database is stopped",
      cause: "refused",
      isFirst: true,
      says: /Nothing listens at 127\.0\.1\.\d+ port \d+/,
      stage: async () => {
        const hostname = nextHost();
        const server = await rawServer((socket) => socket.end("ready"), hostname);
        const check = await site.make("tcp", { request: { hostname, port: server.port } });
        await site.run(check);
        await server[Symbol.asyncDispose]();
        await site.run(check);
        return [check];
      },
    },
    {
      title: "the name is gone from DNS",
      cause: "name",
      isFirst: true,
      says: /does not exist in DNS/,
      stage: dnsBecomes({ rcode: "NXDOMAIN" }),
    },
    {
      title: "a DNS record is changed",
      cause: "name",
      isFirst: true,
      says: /192\.0\.2\.9 instead of A 192\.0\.2\.1/,
      stage: dnsBecomes({ addresses: ["192.0.2.9"] }),
    },
    { title: "the name servers fail", cause: "name", isFirst: true, says: /SERVFAIL/, stage: dnsBecomes({ rcode: "SERVFAIL" }) },
    {
      title: "a host with three checks goes down",
      cause: "host",
      isFirst: true,
      says: /Both other checks of 127\.0\.1\.\d+ fail, too/,
      stage: async () => {
        const server = await httpServer((_request, response) => response.end("ok"), nextHost());
        const checks = [
          await api(`${server.url}/`),
          await api(`${server.url}/cart`, { name: "Cart" }),
          await api(`${server.url}/search`, { name: "Search" }),
        ];
        await site.run(...checks);
        await server[Symbol.asyncDispose]();
        await site.run(...checks);
        return [checks[0]!, ...checks.slice(1)];
      },
    },
    {
      title: "a location's proxy breaks",
      cause: "location",
      isFirst: true,
      says: /3 of 3 other checks fail at south as well/,
      stage: async (stack) => {
        const broken = stack.use(await httpServer((_request, response) => response.writeHead(502).end()));
        const key = await site.location("south", { proxyUrl: `http://127.0.0.1:${broken.port}` });
        stack.use(await site.agent(key));
        const servers = await Promise.all([1, 2, 3, 4].map(() => changing(stack)));
        const checks: string[] = [];
        for (const { url } of servers) checks.push(await api(url, { privateLocations: ["west", "south"] }));
        await site.run(...checks);
        return [checks[0]!, ...checks.slice(1)];
      },
    },
    {
      title: "somebody changes the check",
      cause: "edit",
      isFirst: false,
      says: /changed the check \(.*request.*\) .* before it began to fail/,
      stage: async (stack) => {
        const { answer, url } = await changing(stack);
        const check = await api(url);
        await site.run(check);
        const change = get(url, { assertions: [{ source: "TEXT_BODY", comparison: "EQUALS", target: `not ${answer.body}` }] });
        const { status } = await site.call("PUT", `/v1/checks/api/${check}`, { body: change });
        expect(status).toBe(200);
        await site.run(check);
        return [check];
      },
    },
    {
      title: "somebody deploys",
      cause: "deployment",
      isFirst: false,
      says: /deployed .* before it began to fail/,
      stage: async (stack) => {
        const { answer, url } = await changing(stack);
        const check = await api(url);
        await site.run(check);
        const project = { logicalId: crypto.randomUUID(), name: "Shop" };
        const { status } = await site.call("POST", "/v1/projects/deploy", { body: { project, resources: [] } });
        expect(status).toBeLessThan(300);
        answer.status = 500;
        await site.run(check);
        return [check];
      },
    },
    {
      title: "planned work goes on",
      cause: "maintenance",
      isFirst: false,
      says: /maintenance window Database upgrade held/,
      stage: async (stack) => {
        const { answer, url } = await changing(stack);
        const check = await api(url, { tags: ["db"] });
        await site.run(check);
        const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
        const body = {
          name: "Database upgrade",
          startsAt: at(-1),
          endsAt: at(30),
          repeatUnit: "",
          tags: ["no-such-tag"],
          silenceAlertsTags: ["db"],
        };
        const window = await site.call("POST", "/v1/maintenance-windows", { body });
        expect(window.status).toBe(201);
        stack.defer(async () => void (await site.call("DELETE", `/v1/maintenance-windows/${window.body.id}`)));
        answer.status = 503;
        await site.run(check);
        return [check];
      },
    },
    {
      title: "the service becomes slow, but not too slow",
      cause: "slow",
      isFirst: true,
      of: "standing",
      says: /The wait for the first byte took .* instead of .*The service itself became slower/,
      stage: slows({ delayMs: 900 }),
    },
    {
      title: "an answer takes longer to come through",
      cause: "slow",
      isFirst: true,
      of: "standing",
      says: /The download of the answer took .* instead of/,
      stage: slows({ bodyDelayMs: 900 }),
    },
    {
      title: "a host with three checks becomes slow",
      cause: "host",
      isFirst: true,
      of: "standing",
      says: /Both other checks of 127\.0\.1\.\d+ are degraded or fail, too/,
      stage: async (stack) => {
        const { answer, url } = await changing(stack);
        const limits = { degradedResponseTime: 400, maxResponseTime: 20_000 };
        const checks = [
          await api(`${url}/`, limits),
          await api(`${url}/cart`, { name: "Cart", ...limits }),
          await api(`${url}/search`, { name: "Search", ...limits }),
        ];
        await site.run(...checks);
        answer.delayMs = 900;
        await site.run(...checks);
        return [checks[0]!, ...checks.slice(1)];
      },
    },
    {
      title: "somebody makes the limit of a check tighter",
      cause: "edit",
      isFirst: false,
      of: "standing",
      says: /changed the check \(.*degradedResponseTime.*\) .* before it became degraded/,
      stage: async (stack) => {
        const { answer, url } = await changing(stack);
        answer.delayMs = 50;
        const check = await api(url, { degradedResponseTime: 15_000, maxResponseTime: 20_000 });
        await site.run(check);
        const { status } = await site.call("PUT", `/v1/checks/api/${check}`, { body: { degradedResponseTime: 10 } });
        expect(status).toBe(200);
        await site.run(check);
        return [check];
      },
    },
    {
      title: "a router on the way stops passing packets on",
      cause: "network",
      isFirst: true,
      says: /silence after hop 2 \(198\.51\.100\.7\)/,
      stage: async () => {
        const agent = await FakeAgent.open(site.base, await site.location("east"));
        const check = await api("http://203.0.113.9/", { privateLocations: ["east"] });
        await reported(agent, check, {});
        const hop = (from: string): HopAnswer => ({ from, rttMs: 3.1, says: "", is: "router" });
        const subject = { host: "203.0.113.9", address: "203.0.113.9", port: 80, ownAddresses: new Set<string>() };
        const text = traceText(subject, [{ method: "tcp", hops: [hop("192.0.2.1"), hop("198.51.100.7"), null, null], trouble: null }]);
        const file = {
          name: "traceroute.txt",
          type: "log" as const,
          contentType: "text/plain",
          data: Buffer.from(text).toString("base64"),
        };
        const errorMessage = "ETIMEDOUT: connect to 203.0.113.9:80 took longer than 10000 ms";
        await reported(agent, check, { hasFailures: true, hasErrors: true, errorMessage, evidence: [file] });
        return [check];
      },
    },
    {
      title: "agents get another version",
      cause: "agent-version",
      isFirst: false,
      says: /from version 1\.0\.0 to 2\.0\.0/,
      stage: async () => {
        const key = await site.location("far");
        const check = await api("http://203.0.113.10/", { privateLocations: ["far"] });
        await reported(await FakeAgent.open(site.base, key), check, {});
        const next = await FakeAgent.open(site.base, key, { version: "2.0.0" });
        await reported(next, check, { hasFailures: true, statusCode: 500, errorMessage: "status 500 is not 200" });
        return [check];
      },
    },
  ];

  async function reported(agent: FakeAgent, check: string, change: Parameters<typeof reportOf>[1]): Promise<void> {
    await site.call("POST", "/v2/check-sessions/trigger", { body: { target: { checkId: [check] } } });
    for (const job of await agent.lease(10, 5)) {
      const answers = await agent.report(reportOf(job, change));
      expect(answers[0]?.outcome).toBe("accepted");
    }
  }

  it.each(scenes)("$title: $cause", async ({ cause, isFirst, says, stage, of }) => {
    const stack = new AsyncDisposableStack();
    const checks: string[] = [];
    try {
      const [asked, ...others] = await stage(stack);
      checks.push(asked, ...others);
      const { stored, told } = await site.why(asked, of);
      const [first] = stored.causes;
      const named = stored.causes.filter(({ kind }) => kind === cause).map(({ text }) => text);
      expect({ first: isFirst ? first?.kind : cause, named: named.join(" ") }).toEqual({
        first: cause,
        named: expect.stringMatching(says),
      });
      const analysis = expect.objectContaining({ classification: first?.kind });
      expect(told).toMatchObject({ provider: "outpost", model: "rules", checkId: asked, analysis });
      expect(stored.causes.every(({ evidence }) => evidence.length > 0)).toBe(true);
      expect(await missing(stored.causes.flatMap(({ evidence }) => evidence))).toEqual([]);
    } finally {
      for (const check of checks) await site.call("DELETE", `/v1/checks/${check}`);
      await stack.disposeAsync();
    }
  });

  /** Runs and checks that causes refer to and that are not there. */
  async function missing(evidence: StoredAnalysis["causes"][number]["evidence"]): Promise<readonly string[]> {
    const paths = evidence.flatMap(({ of }) => {
      if (of.kind === "result") return [`/v1/check-results/${of.checkId}/${of.resultId}`];
      return of.kind === "check" ? [`/v1/checks/${of.checkId}`] : [];
    });
    const answers = await Promise.all(paths.map(async (path) => ({ path, status: (await site.call("GET", path)).status })));
    return answers.filter(({ status }) => status !== 200).map(({ path }) => path);
  }
});
