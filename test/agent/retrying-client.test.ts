import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createContact } from "../../src/agent/contact/contact.ts";
import { createControlPlaneClient } from "../../src/agent/contact/control-plane-client.ts";
import { type ControlPlane, createRetryingClient, type RetryingClientDeps } from "../../src/agent/contact/retrying-client.ts";
import { systemClock } from "../../src/agent/host/clock.ts";
import { leaseJobs, protocolVersion, reportAttempts } from "../../src/contract/agent-protocol.ts";
import { Secret } from "../../src/daemon/secret.ts";
import { FakeControlPlane, htmlPage } from "../support/fake-control-plane.ts";
import { type LogLine, logOf, quickTiming } from "./agent-under-test.ts";

const never = new AbortController().signal;
const poll = { max: 1, waitSeconds: 0 };

interface ClientUnderTest extends AsyncDisposable {
  readonly client: ControlPlane;
  readonly lines: LogLine[];
}

function clientOf(
  fake: FakeControlPlane,
  overrides: Partial<RetryingClientDeps> = {},
  proxy: Secret | null = null,
  url = fake.url,
): ClientUnderTest {
  const { log, lines } = logOf();
  const client = createRetryingClient({
    client: createControlPlaneClient(url, proxy, []),
    readKey: () => new Secret(fake.key),
    introduction: () => ({
      agentId: randomUUID(),
      name: "test",
      version: "0",
      protocol: protocolVersion,
      checkTypes: [],
      runtimes: [],
      sandboxLevel: 0,
      capabilities: {},
    }),
    contact: createContact(log, systemClock, () => undefined),
    clock: systemClock,
    random: () => 0.5,
    timing: quickTiming,
    log,
    scrub: (text) => text.replaceAll("network", "********"),
    packsBodies: false,
    ...overrides,
  });
  return { client, lines, [Symbol.asyncDispose]: () => client.close() };
}

describe("a call to the control plane", () => {
  it.each([
    ["a cut body", { kind: "cut" }],
    ["a closed connection", { kind: "swallow" }],
    ["a proxy's page with 200", htmlPage(200)],
    ["502", htmlPage(502)],
    ["504", htmlPage(504)],
    ["500 without a body", { kind: "answer", status: 500 }],
    ["404 while a back end restarts", htmlPage(404)],
    ["Retry-After that is garbage", { kind: "answer", status: 429, headers: { "retry-after": "soon" } }],
  ] as const)("is tried again after %s", async (_, fault) => {
    await using fake = await FakeControlPlane.start();
    await using under = clientOf(fake);
    fake.fail("leaseJobs", fault, fault);
    await expect(under.client.call(leaseJobs, poll, { signal: never, limitMs: 2_000 })).resolves.toEqual({ jobs: [] });
    expect(fake.seen("leaseJobs")).toHaveLength(3);
  });

  it("waits as long as Retry-After asks for", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = clientOf(fake, { timing: { ...quickTiming, backoffMs: () => 0 } });
    fake.fail("leaseJobs", { kind: "answer", status: 429, headers: { "retry-after": "1" } });
    await under.client.call(leaseJobs, poll, { signal: never, limitMs: 2_000 });
    const [first, second] = fake.seen("leaseJobs");
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it("is tried again as soon as another call gets through after an outage, not after its whole backoff", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = clientOf(fake, { timing: { ...quickTiming, backoffMs: () => 3_600_000 } });
    fake.fail("reportAttempts", { kind: "swallow" });
    const waiting = under.client.call(reportAttempts, { reports: [] }, { signal: never, limitMs: 2_000 });
    await fake.until(() => fake.seen("reportAttempts").length === 1);
    await Promise.all([
      waiting,
      fake
        .until(() => under.client.contact().state === "unreachable")
        .then(() => under.client.call(leaseJobs, poll, { signal: never, limitMs: 2_000 })),
    ]);
    expect(fake.seen("reportAttempts")).toHaveLength(2);
  });

  it("gives up a connection that is frozen and uses a new one (L-09)", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = clientOf(fake);
    fake.fail("leaseJobs", { kind: "freeze" });
    await expect(under.client.call(leaseJobs, poll, { signal: never, limitMs: 150 })).resolves.toEqual({ jobs: [] });
  });

  it("tells a foreign page's start once, scrubbed", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = clientOf(fake);
    fake.fail("leaseJobs", ...Array.from({ length: 5 }, () => htmlPage(200)));
    await under.client.call(leaseJobs, poll, { signal: never, limitMs: 2_000 });
    const told = under.lines.filter(({ start }) => start !== undefined);
    expect(told).toHaveLength(1);
    expect(told[0]?.["start"]).toBe("<html><body>Please log in to the ********</body></html>");
    expect(told[0]?.["reason"]).toContain("200 with a body that is not the control plane's (text/html)");
  });

  it("logs an outage once, and its end", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = clientOf(fake);
    fake.fail("leaseJobs", ...Array.from({ length: 12 }, () => htmlPage(502)));
    await under.client.call(leaseJobs, poll, { signal: never, limitMs: 2_000 });
    expect(under.lines.filter(({ level }) => level === 40)).toHaveLength(1);
    expect(under.lines.filter(({ msg }) => msg === "the control plane responds again")).toHaveLength(1);
  });

  it("leaves statuses to a caller who has an answer to them", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = clientOf(fake);
    fake.fail("reportAttempts", htmlPage(413));
    const call = under.client.call(reportAttempts, { json: '{"reports":[]}' }, { signal: never, limitMs: 2_000, answers: [413] });
    await expect(call).rejects.toMatchObject({ code: "invalid_input", attributes: { status: 413 } });
  });

  it("stops with the caller's reason, also while it waits to try again", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = clientOf(fake, { timing: { ...quickTiming, backoffMs: () => 60_000 } });
    fake.failAlways(htmlPage(502), ["leaseJobs"]);
    const stopping = new AbortController();
    const call = under.client.call(leaseJobs, poll, { signal: stopping.signal, limitMs: 2_000 });
    await fake.until(() => fake.seen("leaseJobs").length === 1);
    stopping.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });

  it("packs a large body where that is asked for", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = clientOf(fake, { packsBodies: true });
    const json = JSON.stringify({ reports: [], padding: "x".repeat(20_000) });
    await expect(under.client.call(reportAttempts, { json }, { signal: never, limitMs: 2_000 })).resolves.toEqual({ answers: [] });
  });

  it("keeps the path of API_URL in front of the protocol's", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = clientOf(fake, {}, null, new URL(`${fake.url.href}base/`));
    const stopping = new AbortController();
    const call = under.client.session(stopping.signal);
    await fake.until(() => fake.requests.length > 0);
    expect(fake.requests[0]?.path).toBe("/base/agent/v1/sessions");
    stopping.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });

  it("goes through a proxy and gives it its password", async () => {
    await using fake = await FakeControlPlane.start();
    const seen: (string | undefined)[] = [];
    const proxy = createServer((request, response) => {
      seen.push(request.headers["proxy-authorization"]);
      const { host: _, ...headers } = request.headers;
      const onward = httpRequest(request.url ?? "", { method: request.method ?? "GET", headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const url = `http://user:pa%20ss@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    await using under = clientOf(fake, {}, new Secret(url));
    await expect(under.client.call(leaseJobs, poll, { signal: never, limitMs: 2_000 })).resolves.toEqual({ jobs: [] });
    expect(seen[0]).toBe(`Basic ${Buffer.from("user:pa ss").toString("base64")}`);
    proxy.close();
    proxy.closeAllConnections();
    await once(proxy, "close");
  });
});
