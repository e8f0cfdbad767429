import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import { freePort } from "../support/free-ports.ts";
import { hasOtelCollector, startOtelCollector } from "../support/otel-collector.ts";
import { attributeOf, otlpReceiver, type ToldSpan } from "../support/otlp-receiver.ts";
import { OutpostProcess, until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

/** A target that answers 200, or 500 below /down, and remembers what it was sent. */
async function target() {
  const seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    seen.push({ path: request.url ?? "", headers: request.headers });
    response.writeHead(request.url?.startsWith("/down") ? 500 : 200).end("well");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const telemetryEnv = (endpoint: string, more: Readonly<Record<string, string>> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: "x-key=planted-key-of-the-collector",
  OTEL_METRIC_EXPORT_INTERVAL: "1000",
  ...more,
});

async function ranOnce(site: Site, url: string, body: object = {}): Promise<CheckResult> {
  const check = await site.check(url, ["north"], body);
  const [session] = await site.trigger(check);
  if (session === undefined) throw new Error("nothing was triggered");
  await site.ended(session);
  const [result] = await site.results(check, "FINAL");
  if (result === undefined) throw new Error("there is no result");
  return result;
}

function chainOf(spans: readonly ToldSpan[], name: string): string[] {
  const names: string[] = [];
  for (let span = spans.find((one) => one.name === name); span !== undefined; ) {
    const parent: string | undefined = span.parentSpanId;
    names.unshift(`${span.service} ${span.name}`);
    span = spans.find(({ spanId }) => spanId === parent);
  }
  return names;
}

const wholeWay = [
  "outpost.schedule",
  "outpost.lease",
  "outpost.run",
  "outpost.queue",
  "outpost.request",
  "outpost.phase.firstByte",
  "outpost.upload",
  "outpost.store",
];

describe("the way of a run", () => {
  it("is one trace over both processes, down to the alert, that the target is told of; results and page lead to it", async () => {
    await using receiver = await otlpReceiver();
    await using receiving = await otlpReceiver(); // of a webhook
    await using told = await target();
    const json = { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
    await using site = await Site.start({
      env: telemetryEnv(receiver.endpoint, { ...json, TRACE_URL_TEMPLATE: "https://grafana.example.com/explore?q={traceId}" }),
    });
    const key = await site.location("north");
    await site.agent(key, telemetryEnv(receiver.endpoint, { ...json, OUTPOST_TRACE_TARGETS: "127.0.0.1" })).ready();
    const channel = await site.api<{ id: number }>("POST", "/v1/alert-channels", {
      type: "WEBHOOK",
      sendFailure: true,
      config: { name: "hook", url: receiving.endpoint, method: "POST", template: "{}" },
    });
    const result = await ranOnce(site, told.url("/down?token=planted-query"), {
      name: "the shop is down",
      alertChannelSubscriptions: [{ alertChannelId: channel.id, activated: true }],
    });
    const { traceId } = result;
    expect(traceId).toMatch(/^[\da-f]{32}$/);
    const ofRun = (): ToldSpan[] => receiver.spans().filter((span) => span.traceId === traceId);
    await until("the whole trace", () => [...wholeWay, "outpost.alert"].every((name) => ofRun().some((span) => span.name === name)));
    const spans = ofRun();
    expect(spans.filter(({ parentSpanId }) => (parentSpanId ?? "") === "").map(({ name }) => name)).toEqual(["outpost.schedule"]);
    expect(chainOf(spans, "outpost.alert")).toEqual([
      "outpost-control-plane outpost.schedule",
      "outpost-control-plane outpost.lease",
      "outpost-agent outpost.run",
      "outpost-control-plane outpost.store",
      "outpost-control-plane outpost.alert",
    ]);
    expect(chainOf(spans, "outpost.phase.firstByte").slice(-2)).toEqual([
      "outpost-agent outpost.request",
      "outpost-agent outpost.phase.firstByte",
    ]);
    const request = spans.find(({ name }) => name === "outpost.request");
    const [sent] = told.seen;
    expect(sent?.headers["traceparent"]).toBe(`00-${traceId}-${request?.spanId}-01`);
    expect([attributeOf(request ?? {}, "http.request.method"), attributeOf(request ?? {}, "http.response.status_code")]).toEqual([
      "GET",
      500,
    ]);
    const everything = receiver.received.map(({ body }) => body.toString()).join("\n");
    expect(everything).not.toMatch(/planted-query|planted-key/);
    expect(everything).not.toMatch(/set-up\?token=[0-9a-f]/);
    expect(everything).not.toContain(key);
    expect(everything).not.toContain(site.ownerKey);

    await until("metrics of both", () => {
      const names = new Set(receiver.metrics().map(({ name }) => name));
      return [
        "outpost.check.runs",
        "outpost.check.up",
        "outpost.check.duration",
        "outpost_agent_attempts_total",
        "outpost_leases_total",
      ].every((name) => names.has(name));
    });
    await until("lines of both logs", () => {
      const bodies = new Set(receiver.lines().map(({ body }) => body?.stringValue));
      return ["control plane is ready", "agent started", "attempt ended"].every((text) => bodies.has(text));
    });
    expect(receiver.lines().some((line) => line.traceId === traceId)).toBe(true);
    expect(receiver.spans().some(({ name }) => name === "POST /v1/checks/api")).toBe(true);
    expect(receiver.received.every(({ headers }) => headers["x-key"] === "planted-key-of-the-collector")).toBe(true);
  });

  it("tells targets nothing that are not named, and the result then has no trace", async () => {
    await using told = await target();
    await using site = await Site.start();
    await site.agent(await site.location("north"), { OUTPOST_TRACE_TARGETS: ".example.com" }).ready();
    const result = await ranOnce(site, told.url("/"));
    expect(told.seen.map(({ headers }) => headers["traceparent"])).toEqual([undefined]);
    expect(result.traceId).toBeNull();
  });

  it("tells targets without any collector, and leaves a traceparent of the check's own alone", async () => {
    await using told = await target();
    await using site = await Site.start();
    await site.agent(await site.location("north"), { OUTPOST_TRACE_TARGETS: "*" }).ready();
    const result = await ranOnce(site, told.url("/"));
    expect(told.seen[0]?.headers["traceparent"]).toMatch(new RegExp(`^00-${result.traceId}-[\\da-f]{16}-01$`));
    const own = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    const request = { method: "GET", url: told.url("/own"), headers: [{ key: "Traceparent", value: own }] };
    const other = await ranOnce(site, told.url("/own"), { request });
    expect(told.seen[1]?.headers["traceparent"]).toBe(own);
    expect(other.traceId).toBeNull();
  });

  it("goes on as fast as ever while the collector answers nothing, and metrics say what was lost", async () => {
    await using receiver = await otlpReceiver(() => null);
    await using told = await target();
    const env = telemetryEnv(receiver.endpoint, { OTEL_EXPORTER_OTLP_TIMEOUT: "500" });
    await using site = await Site.start({ env });
    const agent = await site.agent(await site.location("north"), env).ready();
    for (let n = 0; n < 5; n += 1) expect((await ranOnce(site, told.url(`/${n}`))).hasFailures).toBe(false);
    const failures =
      /^outpost_agent_telemetry_items_total\{.*signal="traces".*outcome="failed".*\} ([1-9]\d*)$|^outpost_agent_telemetry_items_total\{.*outcome="failed".*signal="traces".*\} ([1-9]\d*)$/m;
    await until("counted failures", async () => failures.test((await agent.probe("/metrics"))?.text ?? ""));
    expect(agent.logLines().filter(({ msg }) => msg.startsWith("telemetry cannot be delivered"))).toHaveLength(1);
    const stoppingMs = performance.now();
    agent.signal("SIGTERM");
    expect(await agent.exit()).toBe(0);
    expect(performance.now() - stoppingMs).toBeLessThan(6_000);
  });
});

describe("without an endpoint", () => {
  it("neither process loads anything of OpenTelemetry, and with one both do", async () => {
    await using receiver = await otlpReceiver();
    const watch = { NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, "../support/tell-telemetry-modules.mjs")).href}` };
    const loads = async (env: Readonly<Record<string, string>>): Promise<boolean[]> => {
      await using site = await Site.start({ env: { ...watch, ...env } });
      const agent = await site.agent(await site.location("north"), { ...watch, ...env }).ready();
      return [site.controlPlane, agent].map(({ stderr }) => /loaded for telemetry/.test(stderr));
    };
    expect(await loads({})).toEqual([false, false]);
    expect(await loads(telemetryEnv(receiver.endpoint))).toEqual([true, true]);
  });
});

describe.skipIf(!hasOtelCollector())("a real collector", () => {
  it.each(["http/protobuf", "http/json"])("takes traces, metrics and logs of both processes as %s", async (protocol) => {
    await using collector = await startOtelCollector();
    await using told = await target();
    const env = telemetryEnv(collector.endpoint, { OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
    await using site = await Site.start({ env });
    await site.agent(await site.location("north"), { ...env, OUTPOST_TRACE_TARGETS: "*" }).ready();
    const { traceId } = await ranOnce(site, told.url("/"));
    await until("the whole trace", () =>
      wholeWay.every((name) => collector.spans().some((span) => span.traceId === traceId && span.name === name)),
    );
    const spans = collector.spans().filter((span) => span.traceId === traceId);
    expect(chainOf(spans, "outpost.store")[0]).toBe("outpost-control-plane outpost.schedule");
    await until("metrics", () => {
      const names = new Set(collector.metrics().map(({ name }) => name));
      return ["outpost.check.duration", "outpost_agent_run_seconds", "outpost_http_request_duration_seconds"].every((name) =>
        names.has(name),
      );
    });
    await until("the log", () =>
      collector.lines().some(({ body, traceId: ofLine }) => body?.stringValue === "attempt ended" && ofLine === traceId),
    );
  });
});

describe("`outpost up`", () => {
  it("tells of both processes as well", async () => {
    await using receiver = await otlpReceiver();
    const folder = await mkdtemp(join(tmpdir(), "outpost-up-telemetry-"));
    const ports = { PORT: String(await freePort()), AGENT_HEALTH_PORT: String(await freePort()) };
    const env = { DATA_DIR: folder, ...ports, ...telemetryEnv(receiver.endpoint, { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }) };
    const up = new OutpostProcess(["up"], env, folder);
    try {
      await until("spans of both", () => new Set(receiver.spans().map(({ service }) => service)).size === 2);
      await until("the log of both", () => {
        const bodies = new Set(receiver.lines().map(({ body }) => body?.stringValue));
        return bodies.has("control plane is ready") && bodies.has("agent started");
      });
      up.signal("SIGTERM");
      expect(await up.exit()).toBe(0);
    } finally {
      await up[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
