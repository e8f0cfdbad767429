import { mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#daemon/env.ts";
import { Secret } from "#daemon/secret.ts";
import { ControlPlaneEnv, readControlPlaneConfig } from "../../src/control-plane/config.ts";
import { loadPepper } from "../../src/control-plane/keys/pepper.ts";

function problemOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  return "no ConfigError";
}

describe("the control plane's settings", () => {
  it("name a model whole or not at all, and never its key", () => {
    const url = "http://llm.internal:8000/v1";
    const told = (env: Readonly<Record<string, string>>): string => problemOf(() => readControlPlaneConfig(env));
    expect(readControlPlaneConfig({}).rootCauseModel).toBeNull();
    expect(told({ ROOT_CAUSE_MODEL_URL: url })).toMatch(/ROOT_CAUSE_MODEL: must be set, too, as ROOT_CAUSE_MODEL_URL is/);
    expect(told({ ROOT_CAUSE_MODEL: "small" })).toMatch(/ROOT_CAUSE_MODEL_URL: must be set, too, as ROOT_CAUSE_MODEL is/);
    for (const bad of ["ftp://llm/v1", "llm:8000", "http://llm/v1?key=secret-key", "http://ada:secret-key@llm/v1"]) {
      const problem = told({ ROOT_CAUSE_MODEL_URL: bad, ROOT_CAUSE_MODEL: "small" });
      expect(problem).toContain("ROOT_CAUSE_MODEL_URL");
      expect(problem).not.toContain("secret-key");
    }
    expect(told({ ROOT_CAUSE_MODEL_KEY: "a blank" })).toMatch(/ROOT_CAUSE_MODEL_KEY.*without blanks/);
    const read = readControlPlaneConfig({ ROOT_CAUSE_MODEL_URL: `${url}/`, ROOT_CAUSE_MODEL: "small", ROOT_CAUSE_MODEL_KEY: "key" });
    const limits = { deadlineMs: 60_000, answerTokens: 1_000, dailyTokens: 200_000 };
    expect(read.rootCauseModel).toEqual({ url, name: "small", key: new Secret("key"), ...limits });
    expect(JSON.stringify(read.rootCauseModel)).not.toContain('"key":"key"');
  });

  it("have a default each, so that nothing needs to be set", () => {
    expect(readControlPlaneConfig({})).toMatchObject({
      dataDir: "./data",
      host: "127.0.0.1",
      port: 3000,
      publicUrl: null,
      databaseUrl: null,
      accountHeaders: ["x-service-account", "x-checkly-account"],
      logLevel: "INFO",
      leaseMs: 30_000,
      heartbeatMs: 10_000,
      pollWaitMs: 25_000,
      queueWaitMs: 360_000,
      resultsKeepMs: 30 * 86_400_000,
      detailsKeepMs: 30 * 86_400_000,
      rollupsKeepMs: 760 * 86_400_000,
      rateLimits: { standard: { requests: 600, windowSeconds: 60 }, results: { requests: 60, windowSeconds: 60 } },
    });
  });

  it("keep details no longer than results, and figures no shorter", () => {
    const days = 86_400_000;
    const longer = readControlPlaneConfig({ RESULTS_KEEP_DAYS: "900", DETAILS_KEEP_DAYS: "7" });
    expect(longer).toMatchObject({ resultsKeepMs: 900 * days, detailsKeepMs: 7 * days, rollupsKeepMs: 900 * days });
    const shorter = readControlPlaneConfig({ RESULTS_KEEP_DAYS: "2", DETAILS_KEEP_DAYS: "7", ROLLUPS_KEEP_DAYS: "30" });
    expect(shorter).toMatchObject({ resultsKeepMs: 2 * days, detailsKeepMs: 2 * days, rollupsKeepMs: 30 * days });
  });

  it("say what they mean", () => {
    const silent = Object.entries(ControlPlaneEnv.shape).filter(
      ([name, schema]) => schema.description === undefined && !name.endsWith("_SECONDS"),
    );
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  it("are all told at once when they are bad, by name and never by value", () => {
    const bad = {
      PORT: "80000",
      LOG_LEVEL: "LOUD",
      RATE_LIMIT_STANDARD: "many",
      DATABASE_URL: "mysql://u:hunter2@h/d",
      KEY_PEPPER: "shortsecret",
      PUBLIC_URL: "ftp://x",
      HEARTBEAT_SECONDS: "0",
      ACCOUNT_HEADERS: "a b",
    };
    const message = problemOf(() => readControlPlaneConfig(bad));
    for (const name of Object.keys(bad)) expect(message).toContain(name);
    expect(message).not.toMatch(/hunter2|shortsecret|80000|LOUD/);
  });

  it.each([
    "postgres://watcher:hunter2/word@db.example.com/outpost",
    "postgres://watcher:1234/word@db.example.com/outpost",
    "postgres://watcher:hunt@er2/word@db.example.com/outpost",
    "postgres://watcher:1234?word@db.example.com/outpost",
    "postgres://watcher:1234#word@db.example.com/outpost",
    "postgres://watcher:100%@db.example.com/outpost",
  ])("say what to encode where a password breaks DATABASE_URL, and nothing of %s", (url) => {
    const message = problemOf(() => readControlPlaneConfig({ DATABASE_URL: url }));
    expect(message).toContain(
      "DATABASE_URL: must be postgres://user:password@host:port/name; in user and password write @ as %40, / as %2F",
    );
    expect(message).not.toMatch(/hunt|1234|watcher|example|100%/);
  });

  it("of the viewer of traces names a host of its own, where browsers run its worker", () => {
    const told = (url: string, env: Record<string, string> = {}) =>
      problemOf(() => readControlPlaneConfig({ TRACE_VIEWER_URL: url, ...env }));
    const hosts = { PUBLIC_URL: "https://outpost.example.com", PING_URL: "https://ping.example.com" };
    for (const url of [
      "http://traces.example.com",
      "https://traces.example.com/below",
      "http://127.0.0.1:3001",
      "https://a@traces.example.com",
      "traces",
    ])
      expect(told(url)).toMatch(/TRACE_VIEWER_URL: must be https/);
    expect(told("https://outpost.example.com:8443", hosts)).toMatch(/TRACE_VIEWER_URL: must have a host of its own/);
    expect(told("https://ping.example.com", hosts)).toMatch(/TRACE_VIEWER_URL: must have a host of its own/);
    expect(told("http://localhost:3000", { HOST: "localhost" })).toMatch(/TRACE_VIEWER_URL: must have a host of its own/);
    expect(readControlPlaneConfig({ TRACE_VIEWER_URL: "https://traces.example.com/", ...hosts }).traceViewerUrl).toBe(
      "https://traces.example.com",
    );
    expect(readControlPlaneConfig({ TRACE_VIEWER_URL: "http://traces.localhost:3000" }).traceViewerUrl).toBe(
      "http://traces.localhost:3000",
    );
    expect(readControlPlaneConfig({}).traceViewerUrl).toBeNull();
  });

  it("of a provider belong together, and lead nowhere without encryption", () => {
    const issuer = "https://id.example.com";
    const told = (env: Record<string, string>) => problemOf(() => readControlPlaneConfig(env));
    expect(told({ OIDC_ISSUER: issuer })).toMatch(/OIDC_CLIENT_ID.*OIDC_ISSUER is/);
    expect(told({ OIDC_CLIENT_ID: "outpost" })).toMatch(/OIDC_ISSUER.*OIDC_CLIENT_ID is/);
    expect(told({ OIDC_CLIENT_ID: "outpost", OIDC_ISSUER: "http://id.example.com" })).toMatch(/OIDC_ISSUER.*https/);
    expect(readControlPlaneConfig({}).oidc).toBeNull();
    expect(readControlPlaneConfig({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: "outpost" }).oidc).toEqual({
      issuer,
      clientId: "outpost",
      clientSecret: null,
      name: "single sign-on",
    });
  });

  it("keep two heartbeats within a lease", () => {
    expect(() => readControlPlaneConfig({ LEASE_SECONDS: "10", HEARTBEAT_SECONDS: "6" })).toThrow(
      /HEARTBEAT_SECONDS.*half of LEASE_SECONDS/,
    );
  });
});

describe("the pepper", () => {
  const folder = () => mkdtemp(join(tmpdir(), "outpost-pepper-"));

  it("is made at the first start, readable by its owner only, and the same afterwards", async () => {
    const dataDir = await folder();
    const first = await loadPepper({ dataDir, keyPepper: null });
    const second = await loadPepper({ dataDir, keyPepper: null });
    expect(second.reveal()).toBe(first.reveal());
    expect((await stat(join(dataDir, "pepper"))).mode & 0o777).toBe(0o600);
  });

  it("is never overwritten when it is damaged", async () => {
    const dataDir = await folder();
    await writeFile(join(dataDir, "pepper"), "half");
    await expect(loadPepper({ dataDir, keyPepper: null })).rejects.toThrow(ConfigError);
    expect(await readFile(join(dataDir, "pepper"), "utf8")).toBe("half");
  });

  it("comes from KEY_PEPPER where that is set", async () => {
    expect((await loadPepper({ dataDir: "/nowhere", keyPepper: new Secret("x".repeat(32)) })).reveal()).toBe("x".repeat(32));
  });
});
