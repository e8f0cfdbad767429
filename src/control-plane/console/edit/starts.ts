import { defaultAlertSettings } from "#contract/checks/alert-settings.ts";
import { playwrightDefaults } from "#contract/checks/playwright.ts";
import { SecurityBaseline } from "#contract/checks/ssl.ts";
import type { EditableType } from "./fields.ts";

const noScript = { script: null };

/** What the creation of every check begins with. */
export const sharedStart = { useGlobalAlertSettings: true, alertSettings: defaultAlertSettings };

/** And that of a type; the operation fills in the rest. */
export const startsOf: { readonly [T in EditableType]: Readonly<Record<string, unknown>> } = {
  URL: { request: { url: "", followRedirects: true }, degradedResponseTime: 3_000, maxResponseTime: 5_000 },
  API: {
    request: {
      method: "GET",
      url: "",
      followRedirects: true,
      bodyType: "NONE",
      assertions: [{ source: "STATUS_CODE", property: "", comparison: "EQUALS", target: "200" }],
    },
    degradedResponseTime: 5_000,
    maxResponseTime: 20_000,
  },
  TCP: { request: { hostname: "" }, degradedResponseTime: 3_000, maxResponseTime: 5_000 },
  DNS: { request: { query: "", recordType: "A", protocol: "UDP" }, degradedResponseTime: 500, maxResponseTime: 1_000 },
  ICMP: { request: { hostname: "", pingCount: 10 }, degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 },
  SSL: {
    request: {
      sslConfig: {
        hostname: "",
        port: 443,
        alertDaysBeforeExpiry: 20,
        handshakeTimeoutMs: 10_000,
        securityBaseline: SecurityBaseline.parse({}),
      },
    },
    degradedResponseTime: 3_000,
    maxResponseTime: 10_000,
  },
  HEARTBEAT: { heartbeat: { period: 1, periodUnit: "days", grace: 10, graceUnit: "minutes" } },
  BROWSER: noScript,
  MULTI_STEP: noScript,
  AGENTIC: noScript,
  PLAYWRIGHT: playwrightDefaults,
  GRPC: { request: { url: "", port: 443, grpcConfig: { mode: "BEHAVIOR", tls: true, serviceDefinition: "REFLECTION" } } },
  TRACEROUTE: { request: { url: "" } },
};
