import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentEnv, readAgentConfig } from "../../src/agent/config.ts";
import { readLocationKey } from "../../src/agent/contact/location-key.ts";
import { ConfigError } from "../../src/daemon/env.ts";
import { temporaryFolder } from "./agent-under-test.ts";

const least = { API_KEY: "pl_key", API_URL: "http://127.0.0.1:3000" };

function problemOf(env: Record<string, string>): string {
  try {
    readAgentConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

describe("the agent's environment", () => {
  it("needs a key and an address, and has a default for the rest", () => {
    expect(readAgentConfig(least)).toMatchObject({
      jobConcurrency: 10,
      logLevel: "INFO",
      health: { port: 8081, host: "::" },
      reportsErrors: true,
      usesOsResolver: false,
      extraCaPath: null,
      dataFolder: resolve("data"), // programs of checks have folders of their own
      runtimesFolder: resolve("data/runtimes"),
      outbox: { folder: resolve("data/outbox"), limitBytes: 1024 * 1024 * 1024, limitMs: 86_400_000 },
      shutdownGraceMs: 25_000,
      targets: { allowCidrs: [], denyCidrs: [], mode: "default" },
    });
  });

  it("names every bad variable at once and shows no value", () => {
    const message = problemOf({
      API_URL: "ftp://user:hunter2@x",
      JOB_CONCURRENCY: "1001",
      LOG_LEVEL: "LOUD",
      EXTERNAL_OBSERVABILITY: "perhaps",
      HTTPS_PROXY: "hunter2",
      TARGET_DENY_CIDR: "10.0.0.0/33",
      SHUTDOWN_GRACE_SECONDS: "-1",
      AGENT_HEALTH_PORT: "65536",
    });
    for (const name of [
      "API_KEY",
      "API_URL",
      "JOB_CONCURRENCY",
      "LOG_LEVEL",
      "EXTERNAL_OBSERVABILITY",
      "HTTPS_PROXY",
      "TARGET_DENY_CIDR",
      "SHUTDOWN_GRACE_SECONDS",
      "AGENT_HEALTH_PORT",
    ]) {
      expect(message).toContain(`  ${name}: `);
    }
    expect(message).not.toContain("hunter2");
  });

  it.each([
    ["off", false],
    ["on", true],
    ["", true],
    ["false", false],
  ])("EXTERNAL_OBSERVABILITY=%s: %s", (value, expected) => {
    expect(readAgentConfig({ ...least, EXTERNAL_OBSERVABILITY: value }).reportsErrors).toBe(expected);
  });

  it("takes proxies in lower case too, which win", () => {
    const { proxy } = readAgentConfig({
      ...least,
      HTTPS_PROXY: "http://upper:1",
      https_proxy: "http://lower:1",
      no_proxy: "a, .b ,10.0.0.0/8",
    });
    expect(proxy.https?.reveal()).toBe("http://lower:1");
    expect(proxy.noProxy).toEqual(["a", ".b", "10.0.0.0/8"]);
  });

  it("never shows the key or a proxy's password", () => {
    const config = readAgentConfig({ ...least, HTTP_PROXY: "http://user:hunter2@proxy:1" });
    expect(JSON.stringify(config)).not.toMatch(/pl_key|hunter2/);
  });

  it("describes every variable", () => {
    expect(Object.entries(AgentEnv.shape).filter(([, schema]) => (schema.description ?? "").length < 10)).toEqual([]);
  });
});

describe("the key file", () => {
  it("is read anew each time, and wins over API_KEY", async () => {
    using folder = temporaryFolder();
    const path = `${folder.path}/key`;
    const { key } = readAgentConfig({ ...least, API_KEY_FILE: path });
    writeFileSync(path, "pl_one\n", { mode: 0o600 });
    expect(readLocationKey(key).reveal()).toBe("pl_one");
    writeFileSync(path, "pl_two");
    expect(readLocationKey(key).reveal()).toBe("pl_two");
    writeFileSync(path, " \n");
    expect(() => readLocationKey(key)).toThrow(/API_KEY_FILE: .* is empty/);
  });
});
