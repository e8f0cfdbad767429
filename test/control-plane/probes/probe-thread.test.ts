import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "#domain/app-error.ts";
import type { PageRequest, PageRoute } from "../../../src/control-plane/http/page-routes.ts";
import { createProbeThread, type ProbeThreadDeps } from "../../../src/control-plane/probes/probe-thread.ts";
import { logOf } from "../../agent/agent-under-test.ts";

const text = (body: string, status = 200) => ({ status, type: "text/plain", body });
const health: PageRoute = { path: "/health", answer: () => text("ok") };
const metrics: PageRoute = {
  path: "/metrics",
  answer: ({ authorization }: PageRequest) => {
    if (authorization === "Bearer wrong") throw new AppError("unauthorized", "not this one");
    return text(authorization === "" ? "together" : "names");
  },
};

describe("the thread of the probes", () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function start(deps: Partial<ProbeThreadDeps> = {}): Promise<string> {
    const { log, lines } = logOf();
    const thread = createProbeThread({ host: "127.0.0.1", probePort: 0, probes: [health], metrics, log, ...deps });
    stops.push(() => thread.stop(AbortSignal.timeout(1_000)));
    await thread.start();
    return `http://127.0.0.1:${Number(lines.find(({ msg }) => msg === "probes and metrics answer on PROBE_PORT")?.["port"])}`;
  }

  it("answers what the pages answer, by whoever asks", async () => {
    const base = await start();
    const get = async (path: string, headers = {}) => {
      const reply = await fetch(base + path, { headers });
      return [reply.status, await reply.text()];
    };
    expect(await get("/health?x=1")).toEqual([200, "ok"]);
    expect(await get("/metrics")).toEqual([200, "together"]);
    expect(await get("/metrics", { authorization: "Bearer right" })).toEqual([200, "names"]);
    expect((await get("/metrics", { authorization: "Bearer wrong" }))[0]).toBe(401);
    const [status, told] = await get("/v1/checks");
    expect([status, told]).toEqual([404, JSON.stringify({ message: "There is no /v1/checks at PROBE_PORT; it has /health, /metrics" })]);
    expect((await fetch(`${base}/health`, { method: "POST" })).status).toBe(405);
  });

  it("says the last answer and its age while a page does not answer", async () => {
    const never = Promise.withResolvers<ReturnType<typeof text>>();
    let isStuck = false;
    const base = await start({ probes: [{ path: "/health", answer: () => (isStuck ? never.promise : text("ok")) }] });
    const first = await fetch(`${base}/health`);
    expect([await first.text(), first.headers.get("age")]).toEqual(["ok", null]);
    isStuck = true;
    const later = await fetch(`${base}/health`);
    expect([await later.text(), later.headers.get("age")]).toEqual(["ok", "1"]);
  });

  it("tells a port that is taken by its name", async () => {
    await using other = createServer();
    await new Promise<void>((listening) => {
      other.listen(0, "127.0.0.1", listening);
    });
    const { port } = other.address() as AddressInfo;
    await expect(start({ probePort: port })).rejects.toThrow(
      `PROBE_PORT: port ${port} of 127.0.0.1 is taken by another program; stop it or choose another port`,
    );
  });
});
