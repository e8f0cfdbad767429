import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemDeps } from "../../src/agent/agent-parts.ts";
import { readAgentConfig } from "../../src/agent/config.ts";
import { FakeControlPlane, fakeJob, htmlPage } from "../support/fake-control-plane.ts";
import { logOf, quickTiming, scriptedRunner, startAgent, temporaryFolder } from "./agent-under-test.ts";

const fixed = (maxRetries: number) => ({
  type: "FIXED" as const,
  baseBackoffSeconds: 0,
  sameRegion: true,
  maxRetries,
  maxDurationSeconds: 600,
});
const untilAbort = (signal: AbortSignal): Promise<Error> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason as Error), { once: true }));

describe("an agent", () => {
  it("runs a job and delivers one FINAL, and its outbox is empty and its folder gone when it stops", async () => {
    await using fake = await FakeControlPlane.start();
    const under = await startAgent(fake);
    const job = fakeJob("http://target.test/", { queuedMs: 40 });
    fake.enqueue(job);
    await fake.until(() => fake.reports.length === 1);
    const [report] = fake.reports;
    expect(report).toMatchObject({
      jobId: job.jobId,
      attempt: 1,
      fence: 1,
      resultType: "FINAL",
      hasFailures: false,
      isCancelled: false,
      agentSide: false,
    });
    expect(report?.queuedMs).toBeGreaterThanOrEqual(40);
    await under.agent.stop();
    expect(readdirSync(under.outboxFolder)).toEqual(["artifacts"]);
    expect(readdirSync(join(under.outboxFolder, "artifacts"))).toEqual([]);
    await under[Symbol.asyncDispose]();
  });

  it("builds times on the control plane's clock, whatever its own says", async () => {
    await using fake = await FakeControlPlane.start();
    fake.clockSkewMs = 86_400_000;
    const beforeMs = Date.now();
    await using _under = await startAgent(fake);
    fake.enqueue(fakeJob("http://target.test/"));
    await fake.until(() => fake.reports.length === 1);
    const ahead = (fake.reports[0]?.startedAt ?? 0) - beforeMs;
    expect(ahead).toBeGreaterThanOrEqual(86_400_000);
    expect(ahead).toBeLessThan(86_400_000 + 60_000);
  });

  it("asks for no more jobs than it has free seats", async () => {
    await using fake = await FakeControlPlane.start();
    let running = 0;
    let most = 0;
    const held = Promise.withResolvers<void>();
    const runner = scriptedRunner(async () => {
      most = Math.max(most, (running += 1));
      await held.promise;
      running -= 1;
      return {};
    });
    await using _under = await startAgent(fake, { runner, env: { JOB_CONCURRENCY: "3" } });
    fake.enqueue(...Array.from({ length: 7 }, () => fakeJob("http://target.test/")));
    await fake.until(() => running >= 3);
    const { length } = fake.heartbeats;
    await fake.until(() => fake.heartbeats.length > length + 2); // as long as a poll too many would take
    held.resolve();
    await fake.until(() => fake.reports.length === 7);
    expect(most).toBe(3);
    expect(Math.max(...fake.seen("leaseJobs").map(({ body }) => (body as { max: number }).max))).toBe(3);
  });

  it("keeps results through an outage and delivers each once afterwards, in order", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = await startAgent(fake);
    await fake.until(() => fake.seen("leaseJobs").length > 0);
    fake.failAlways(htmlPage(502), ["reportAttempts"]);
    const jobs = Array.from({ length: 20 }, () => fakeJob("http://target.test/"));
    fake.enqueue(...jobs);
    await fake.until(() => under.lines.filter(({ msg }) => msg === "attempt ended").length === 20);
    expect(fake.reports).toEqual([]);
    fake.heal();
    await fake.until(() => fake.reports.length === 20);
    expect(new Set(fake.reports.map(({ jobId }) => jobId)).size).toBe(20);
    const ended = under.lines.filter(({ msg }) => msg === "attempt ended").map(({ jobId }) => jobId);
    expect(fake.reports.map(({ jobId }) => jobId)).toEqual(ended);
  });

  it("delivers once when replies to results are swallowed five times (L-03)", async () => {
    await using fake = await FakeControlPlane.start();
    await using _under = await startAgent(fake);
    fake.fail("reportAttempts", ...Array.from({ length: 5 }, () => ({ kind: "swallow" as const })));
    fake.enqueue(fakeJob("http://target.test/"));
    await fake.until(() => fake.answers.length === 6);
    expect(fake.reports).toHaveLength(1);
    expect(fake.answers.map(({ outcome }) => outcome)).toEqual(["accepted", ...Array.from({ length: 5 }, () => "duplicate")]);
  });

  it("goes on polling when a poll's answer is cut in the middle (L-10)", async () => {
    await using fake = await FakeControlPlane.start();
    fake.fail("leaseJobs", { kind: "cut" });
    await using _under = await startAgent(fake);
    const lost = fakeJob("http://target.test/");
    fake.enqueue(lost);
    await fake.until(() => fake.seen("leaseJobs").length > 1);
    fake.enqueue({ ...lost, fence: 2 }); // what the control plane does after 15 s without a heartbeat for it
    await fake.until(() => fake.reports.length === 1);
    expect(fake.reports[0]?.fence).toBe(2);
  });

  it("cuts a report that is too large for the way, so that its verdict gets through (L-11)", async () => {
    await using fake = await FakeControlPlane.start();
    await using _under = await startAgent(fake);
    fake.fail("reportAttempts", htmlPage(413));
    fake.enqueue(fakeJob(`http://target.test/${"x".repeat(1_900)}`));
    await fake.until(() => fake.reports.length === 1);
    expect(JSON.stringify(fake.reports[0]?.detail).length).toBeLessThan(1_500);
  });

  it("finds the one report that the control plane cannot take, and delivers the others", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = await startAgent(fake);
    await fake.until(() => under.agent.isReady());
    fake.fail("reportAttempts", htmlPage(502));
    const bad = { ...fakeJob("http://target.test/"), attempt: 61 }; // over the contract's limit
    fake.enqueue(...Array.from({ length: 7 }, () => fakeJob("http://target.test/")), bad);
    await fake.until(() => fake.reports.length === 7);
    await fake.until(() => under.lines.some(({ jobId, outcome }) => jobId === bad.jobId && outcome === "rejected"));
    expect((await under.probe("/metrics")).body).toContain('outpost_agent_reports_total{outcome="rejected"} 1');
  });

  it("drops a result that is superseded, and goes on", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = await startAgent(fake);
    const old = fakeJob("http://target.test/");
    fake.endElsewhere(old.jobId);
    fake.enqueue(old, fakeJob("http://target.test/"));
    await fake.until(() => fake.reports.length === 1);
    await fake.until(() => under.lines.some(({ outcome }) => outcome === "superseded"));
    expect((await under.probe("/metrics")).body).toContain('outpost_agent_reports_total{outcome="superseded"} 1');
  });

  it("skips a job that it cannot read and runs the others of the same reply", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = await startAgent(fake);
    const good = fakeJob("http://target.test/");
    fake.enqueue({ ...fakeJob("http://target.test/"), fence: "none" as unknown as number }, good);
    await fake.until(() => fake.reports.length === 1);
    expect(fake.reports[0]?.jobId).toBe(good.jobId);
    expect(under.lines.some(({ msg, at }) => msg.includes("cannot read") && String(at) === "fence")).toBe(true);
  });

  it.each([
    ["a runner that throws", scriptedRunner(() => new Error("broken runner")), {}],
    ["a check type that it does not know", scriptedRunner(() => ({})), { checkType: "TELEPATHY" }],
    ["settings that it does not understand", scriptedRunner(() => ({})), { settings: { request: 1 } }],
  ])("answers %s with exactly one result, which blames the agent", async (_, runner, options) => {
    await using fake = await FakeControlPlane.start();
    await using _under = await startAgent(fake, { runner });
    fake.enqueue(fakeJob("http://target.test/", options));
    await fake.until(() => fake.reports.length === 1);
    expect(fake.reports[0]).toMatchObject({ resultType: "FINAL", hasErrors: true, hasFailures: true, agentSide: true });
  });

  it("does not blame the target for a failure of its own resolver", async () => {
    await using fake = await FakeControlPlane.start();
    const runner = scriptedRunner(() => ({ failure: { code: "EDNS", message: "no server answers", side: "agent" } }));
    await using _under = await startAgent(fake, { runner });
    fake.enqueue(fakeJob("http://target.test/"));
    await fake.until(() => fake.reports.length === 1);
    expect(fake.reports[0]).toMatchObject({ hasErrors: true, agentSide: true, errorMessage: "EDNS: no server answers" });
  });

  it("masks sensitive headers before anything is stored or sent", async () => {
    await using fake = await FakeControlPlane.start();
    await using _under = await startAgent(fake);
    fake.enqueue(fakeJob("http://target.test/"));
    await fake.until(() => fake.reports.length === 1);
    expect(JSON.stringify(fake.reports[0])).not.toContain("of-the-request");
  });

  it("tells what it runs on, and with each heartbeat how far its clock is off", async () => {
    await using fake = await FakeControlPlane.start();
    await using _under = await startAgent(fake);
    await fake.until(() => fake.heartbeats.length > 0);
    const { platform } = fake.introductions[0] ?? {};
    expect(platform).toEqual({
      os: process.platform,
      arch: process.arch,
      nodeVersion: process.versions.node,
      isContainer: expect.any(Boolean),
    });
    expect(fake.heartbeats[0]?.clockAheadMs).toBeGreaterThan(-60_000);
    expect(fake.heartbeats[0]?.clockAheadMs).toBeLessThan(60_000);
  });

  it("sends the long-lived key to the session operation and nowhere else", async () => {
    await using fake = await FakeControlPlane.start();
    await using _under = await startAgent(fake);
    fake.enqueue(fakeJob("http://target.test/"));
    await fake.until(() => fake.reports.length === 1 && fake.heartbeats.length > 0);
    const withKey = fake.requests.filter(({ authorization }) => authorization?.includes(fake.key) === true);
    expect(withKey.map(({ operation }) => operation)).toEqual(["openAgentSession"]);
  });
});

describe("an agent with retries", () => {
  it("reports each retried attempt as ATTEMPT and the last as FINAL", async () => {
    await using fake = await FakeControlPlane.start();
    const runner = scriptedRunner((_, call) => ({ statusCode: call < 3 ? 500 : 200 }));
    await using under = await startAgent(fake, { runner });
    fake.enqueue(fakeJob("http://target.test/", { retryStrategy: fixed(2), attempt: 4 }));
    await fake.until(() => fake.reports.length === 3);
    expect(fake.reports.map(({ attempt, resultType, hasFailures }) => [attempt, resultType, hasFailures])).toEqual([
      [4, "ATTEMPT", true],
      [5, "ATTEMPT", true],
      [6, "FINAL", false],
    ]);
    expect((await under.probe("/metrics")).body).toContain('outpost_agent_retries_total{check_type="API"} 2');
  });

  it("waits for a retry with its lease and without a seat", async () => {
    await using fake = await FakeControlPlane.start();
    const runner = scriptedRunner((_, call) => ({ statusCode: call === 1 ? 500 : 200 }));
    await using _under = await startAgent(fake, { runner, env: { JOB_CONCURRENCY: "1" } });
    const waiting = fakeJob("http://target.test/", { retryStrategy: { ...fixed(1), baseBackoffSeconds: 300 } });
    fake.enqueue(waiting);
    await fake.until(() => fake.reports.length === 1);
    fake.enqueue(fakeJob("http://target.test/"));
    await fake.until(() => fake.reports.length === 2);
    const beats = fake.heartbeats.length;
    await fake.until(() => fake.heartbeats.length > beats + 1);
    expect(fake.heartbeats.at(-1)?.running).toEqual([{ jobId: waiting.jobId, fence: 1 }]);
  });

  it("reports the attempt and lets the job go when the retry is elsewhere", async () => {
    await using fake = await FakeControlPlane.start();
    const runner = scriptedRunner(() => ({ statusCode: 500 }));
    await using _under = await startAgent(fake, { runner });
    fake.enqueue(fakeJob("http://target.test/", { retryStrategy: { ...fixed(2), baseBackoffSeconds: 7 }, retriesElsewhere: true }));
    await fake.until(() => fake.reports.length === 1);
    expect(fake.reports[0]).toMatchObject({ resultType: "ATTEMPT", retryElsewhereAfterMs: 7_000 });
    const beats = fake.heartbeats.length;
    await fake.until(() => fake.heartbeats.length > beats + 1);
    expect(fake.heartbeats.at(-1)?.running).toEqual([]);
    expect(runner.calls).toBe(1);
  });

  it("counts the failed attempts made elsewhere", async () => {
    await using fake = await FakeControlPlane.start();
    await using _under = await startAgent(fake, { runner: scriptedRunner(() => ({ statusCode: 500 })) });
    fake.enqueue(fakeJob("http://target.test/", { retryStrategy: fixed(2), failedAttempts: 2, attempt: 3 }));
    await fake.until(() => fake.reports.length === 1);
    expect(fake.reports[0]).toMatchObject({ attempt: 3, resultType: "FINAL" });
  });
});

describe("an agent whose job is taken away", () => {
  it("stops a lost job and reports nothing", async () => {
    await using fake = await FakeControlPlane.start();
    const runner = scriptedRunner(({ signal }) => untilAbort(signal));
    await using under = await startAgent(fake, { runner });
    const job = fakeJob("http://target.test/");
    fake.enqueue(job);
    await fake.until(() => runner.calls === 1);
    fake.lose(job.jobId);
    await fake.until(() => under.lines.some(({ code }) => code === "lease_lost"));
    const beats = fake.heartbeats.length;
    await fake.until(() => fake.heartbeats.length > beats + 1);
    expect(fake.heartbeats.at(-1)?.running).toEqual([]);
    expect(fake.answers).toEqual([]);
  });

  it("stops a cancelled job and reports it as cancelled, once (L-17)", async () => {
    await using fake = await FakeControlPlane.start();
    const runner = scriptedRunner(({ signal }) => untilAbort(signal));
    await using _under = await startAgent(fake, { runner });
    const job = fakeJob("http://target.test/", { retryStrategy: fixed(2) });
    fake.enqueue(job);
    await fake.until(() => runner.calls === 1);
    fake.cancel(job.jobId);
    await fake.until(() => fake.reports.length === 1);
    expect(fake.reports[0]).toMatchObject({ isCancelled: true, resultType: "FINAL", hasFailures: false, hasErrors: false });
  });

  it("keeps its job when heartbeats get lost on the way (L-08)", async () => {
    await using fake = await FakeControlPlane.start();
    const gate = Promise.withResolvers<Record<string, never>>();
    const runner = scriptedRunner(() => gate.promise);
    await using _under = await startAgent(fake, { runner });
    const job = fakeJob("http://target.test/");
    fake.enqueue(job);
    await fake.until(() => runner.calls === 1);
    fake.fail("heartbeat", { kind: "swallow" }, htmlPage(502), { kind: "cut" }, htmlPage(200));
    const beats = fake.heartbeats.length;
    await fake.until(() => fake.heartbeats.length > beats + 3);
    expect(fake.heartbeats.at(-1)?.running).toEqual([{ jobId: job.jobId, fence: 1 }]);
    gate.resolve({});
    await fake.until(() => fake.reports.length === 1);
    expect(fake.reports[0]).toMatchObject({ resultType: "FINAL", hasFailures: false });
  });

  it("does not ask without end where polls come back empty at once", async () => {
    await using fake = await FakeControlPlane.start();
    fake.session = { ...fake.session, pollWaitSeconds: 0 };
    await using _under = await startAgent(fake);
    await fake.until(() => fake.heartbeats.length >= 30); // 30 ms apart here
    const polls = fake.requests.filter(({ operation }) => operation === "leaseJobs").length;
    expect(polls).toBeGreaterThan(0);
    expect(polls).toBeLessThan(fake.heartbeats.length);
  });

  it("frees the seat of a runner that ignores its abort", async () => {
    await using fake = await FakeControlPlane.start();
    const runner = scriptedRunner((_, call) => (call === 1 ? new Promise<never>(() => undefined) : {}));
    await using _under = await startAgent(fake, { runner, env: { JOB_CONCURRENCY: "1" } });
    const stuck = fakeJob("http://target.test/");
    fake.enqueue(stuck);
    await fake.until(() => runner.calls === 1);
    fake.cancel(stuck.jobId);
    fake.enqueue(fakeJob("http://target.test/"));
    await fake.until(() => fake.reports.length === 2);
    expect(new Map(fake.reports.map(({ jobId, isCancelled }) => [jobId === stuck.jobId, isCancelled]))).toEqual(
      new Map([
        [true, true],
        [false, false],
      ]),
    );
  });
});

describe("an agent that stops", () => {
  it("is not ready at once, but alive and healthy until its last run has ended", async () => {
    await using fake = await FakeControlPlane.start();
    const gate = Promise.withResolvers<Record<string, never>>();
    const runner = scriptedRunner(() => gate.promise);
    await using under = await startAgent(fake, { runner });
    fake.enqueue(fakeJob("http://target.test/"));
    await fake.until(() => runner.calls === 1);
    expect((await under.probe("/-/readiness")).status).toBe(200);
    const stopped = under.agent.stop();
    expect(await Promise.all(["/-/readiness", "/-/liveness", "/health"].map(async (path) => (await under.probe(path)).status))).toEqual([
      503, 200, 200,
    ]);
    await fake.until(() => fake.heartbeats.at(-1)?.state === "draining" && fake.heartbeats.at(-1)?.running.length === 1);
    gate.resolve({});
    await stopped;
    expect(fake.reports).toHaveLength(1);
    expect(fake.released).toEqual([]);
  });

  it("hands back what has not started, and takes no more jobs", async () => {
    await using fake = await FakeControlPlane.start();
    const gate = Promise.withResolvers<Record<string, never>>();
    const runner = scriptedRunner(() => gate.promise);
    await using under = await startAgent(fake, { runner, env: { JOB_CONCURRENCY: "2" } });
    const retrying = fakeJob("http://target.test/");
    fake.enqueue(retrying, fakeJob("http://target.test/"));
    await fake.until(() => runner.calls === 2);
    const stopped = under.agent.stop();
    const late = fakeJob("http://target.test/");
    fake.enqueue(late);
    gate.resolve({});
    await stopped;
    expect(runner.calls).toBe(2);
    expect(fake.reports).toHaveLength(2);
  });

  it("hands back a job that a poll brings after the drain began", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = await startAgent(fake);
    await fake.until(() => fake.seen("leaseJobs").length === 1 && under.agent.isReady());
    const late = fakeJob("http://target.test/");
    const stopped = under.agent.stop();
    fake.enqueue(late);
    await stopped;
    expect(fake.reports).toEqual([]);
    expect(fake.released).toEqual([{ jobId: late.jobId, fence: 1 }]);
  });

  it("hands back what still runs at the end of the grace, and what waits for a retry after its ATTEMPT", async () => {
    await using fake = await FakeControlPlane.start();
    const runner = scriptedRunner(({ signal }, call) => (call === 1 ? { statusCode: 500 } : untilAbort(signal)));
    await using under = await startAgent(fake, { runner });
    const waiting = fakeJob("http://target.test/", { retryStrategy: { ...fixed(2), baseBackoffSeconds: 300 } });
    fake.enqueue(waiting);
    await fake.until(() => runner.calls === 1);
    const running = fakeJob("http://target.test/");
    fake.enqueue(running);
    await fake.until(() => runner.calls === 2);
    await under.agent.stop(1_000);
    expect(fake.released.map(({ jobId }) => jobId).toSorted()).toEqual([waiting.jobId, running.jobId].toSorted());
    expect(fake.reports.map(({ resultType }) => resultType)).toEqual(["ATTEMPT"]);
    const order = fake.requests.map(({ operation }) => operation);
    expect(order.indexOf("reportAttempts")).toBeLessThan(order.indexOf("releaseJobs"));
  });

  it("ends within its grace while the control plane does not answer, and keeps its results on disk (P-02)", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = await startAgent(fake);
    await fake.until(() => under.agent.isReady());
    fake.failAlways({ kind: "freeze" }, ["reportAttempts", "releaseJobs", "heartbeat"]);
    fake.enqueue(fakeJob("http://target.test/"));
    await fake.until(() => under.lines.some(({ msg }) => msg === "attempt ended"));
    const startMs = performance.now();
    await under.agent.stop(1_000);
    expect(performance.now() - startMs).toBeLessThan(3_000);
    const [folder = ""] = readdirSync(under.outboxFolder);
    expect(readdirSync(`${under.outboxFolder}/${folder}`).some((name) => name.startsWith("final-"))).toBe(true);
  });

  it("may be stopped twice, also before it has connected", async () => {
    await using fake = await FakeControlPlane.start();
    fake.failAlways({ kind: "freeze" });
    await using under = await startAgent(fake);
    await Promise.all([under.agent.stop(), under.agent.stop()]);
    expect(under.lines.filter(({ msg }) => msg === "agent stopped")).toHaveLength(1);
  });
});

describe("an agent and its key", () => {
  it("is not ready with a refused key, logs one line, and recovers when the file is replaced (L-13)", async () => {
    await using fake = await FakeControlPlane.start();
    using folder = temporaryFolder();
    const file = join(folder.path, "key");
    writeFileSync(file, "pl_bad\n", { mode: 0o600 });
    await using under = await startAgent(fake, { env: { API_KEY_FILE: file } });
    await fake.until(() => fake.seen("openAgentSession").length >= 3);
    expect((await under.probe("/-/readiness")).status).toBe(503);
    expect(under.lines.filter(({ status }) => status === 401)).toHaveLength(1);
    expect(JSON.stringify(under.lines)).not.toContain("pl_bad");
    writeFileSync(file, fake.key);
    await fake.until(() => under.agent.isReady());
  });

  it("opens a new session when its token is refused, without asking anybody", async () => {
    await using fake = await FakeControlPlane.start();
    await using under = await startAgent(fake);
    await fake.until(() => under.agent.isReady());
    fake.endSessions();
    fake.enqueue(fakeJob("http://target.test/"));
    await fake.until(() => fake.reports.length === 1);
    expect(fake.introductions.length).toBeGreaterThan(1);
  });

  it("renews its session before the end", async () => {
    await using fake = await FakeControlPlane.start();
    fake.session = { ...fake.session, sessionSeconds: 1 };
    await using _under = await startAgent(fake);
    await fake.until(() => fake.introductions.length >= 3);
    expect(new Set(fake.introductions.map(({ agentId }) => agentId)).size).toBe(1);
    expect(fake.requests.length).toBeGreaterThan(0);
  });

  it("says so when the control plane does not speak its protocol (L-14)", async () => {
    await using fake = await FakeControlPlane.start();
    fake.failAlways({ kind: "answer", status: 426, body: '{"message":"protocol 1 is too old; install 0.2.0"}' }, ["openAgentSession"]);
    await using under = await startAgent(fake);
    await under.agent.incompatible;
    expect(under.lines.find(({ reason }) => String(reason).includes("install 0.2.0"))).toBeDefined();
    expect(fake.seen("openAgentSession")).toHaveLength(1);
  });
});

describe("an agent's reports about itself", () => {
  it.each([
    ["on", 1],
    ["off", 0],
  ])("with EXTERNAL_OBSERVABILITY=%s leave %d times (M-06)", async (mode, count) => {
    await using fake = await FakeControlPlane.start();
    const runner = scriptedRunner(() => new Error("broke at https://user:hunter22@secret.test/path for pl_0123456789abcdef"));
    await using under = await startAgent(fake, { runner, env: { EXTERNAL_OBSERVABILITY: mode } });
    fake.enqueue(fakeJob("http://target.test/"));
    await fake.until(() => fake.reports.length === 1);
    if (count > 0) await fake.until(() => fake.errorEvents.length === count);
    await under.agent.stop();
    expect(fake.seen("reportErrorEvents")).toHaveLength(count);
    expect(JSON.stringify(fake.errorEvents)).not.toMatch(/hunter22|secret\.test|pl_0123|target\.test/);
  });
});

describe("a real run", () => {
  it("measures a real server through the real runner", async () => {
    await using fake = await FakeControlPlane.start();
    const config = readAgentConfig({ API_KEY: fake.key, API_URL: fake.url.href });
    await using _under = await startAgent(fake, { deps: { runners: systemDeps(config, logOf().log).runners, timing: quickTiming } });
    fake.enqueue(
      fakeJob(`${fake.url.href}agent/v1/nothing`, {
        settings: {
          request: {
            method: "GET",
            url: `${fake.url.href}nothing`,
            assertions: [{ source: "STATUS_CODE", comparison: "EQUALS", target: "404" }],
          },
          degradedResponseTime: 5_000,
          maxResponseTime: 20_000,
        },
      }),
    );
    await fake.until(() => fake.reports.length === 1);
    expect(fake.reports[0]).toMatchObject({ statusCode: 404, hasFailures: false, resultType: "FINAL" });
  });
});
