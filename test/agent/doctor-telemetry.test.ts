import { describe, expect, it } from "vitest";
import { readAgentConfig } from "../../src/agent/config.ts";
import { telemetryText } from "../../src/agent/doctor/doctor-telemetry.ts";
import { ErrorEvent } from "../../src/contract/agent-protocol.ts";
import { findSecret } from "../support/find-secret.ts";
import { OutpostProcess } from "../support/processes.ts";

const env = { API_KEY: `pl_${"0123456789abcdef".repeat(2)}`, API_URL: "https://control.example/base/" };

describe("outpost doctor --telemetry", () => {
  it("says whether reports are on, where they go, and what they look like", () => {
    const on = telemetryText(readAgentConfig(env), []);
    expect(on).toContain("Error events are on");
    expect(on).toContain("POST https://control.example/base/agent/v1/error-events, and nowhere else");
    const { events } = JSON.parse(on.slice(on.indexOf("{"))) as { events: unknown[] };
    expect(events.length).toBeGreaterThan(2);
    for (const event of events) expect(ErrorEvent.strict().parse(event)).toEqual(event);
    expect(telemetryText(readAgentConfig({ ...env, EXTERNAL_OBSERVABILITY: "off" }), [])).toContain("Error events are off");
  });

  it("scrubs the samples as real ones are scrubbed", () => {
    const text = telemetryText(readAgentConfig({ ...env, HTTPS_PROXY: "http://me:pr0xy-passw0rd@proxy.example:3128" }), ["orders"]);
    expect(text).toContain("through the proxy proxy.example:3128");
    for (const secret of [env.API_KEY, "pr0xy-passw0rd", "shop.example", "10.1.2.3", "Welcome back", "user:password"])
      expect([secret, findSecret(Buffer.from(text), secret)]).toEqual([secret, []]);
  });

  it("works without a key that can be read, and sends nothing", async () => {
    const given = { API_URL: "http://127.0.0.1:9", API_KEY_FILE: "/nowhere/key" };
    await using doctor = new OutpostProcess(["doctor", "--telemetry"], given, process.cwd());
    expect(await doctor.exit()).toBe(0);
    expect(doctor.stdout).toContain("Error events are on");
    expect(doctor.stderr).toBe("");
  });
});
