import { exampleIds } from "../example-ids.ts";

const everyTenMinutes = { frequency: 10, locations: ["eu-central-1", "us-east-1"], tags: ["shop"] };
const fromPlaywright = `import { test, expect } from "@playwright/test";\n\n`;
const scripted =
  "The check fails where a test fails; `shouldFail` turns that round. A run has 4 minutes. It goes to an agent that has Playwright on the check's runtime; where none has, it is missed with NO_CAPABLE_AGENT. Paths of files must not leave the script's folder, and variables such as NODE_OPTIONS are refused.";
const timed = (max: number): string =>
  `\`degradedResponseTime\` and \`maxResponseTime\` are milliseconds, at most ${max}; null judges nothing.`;

/** What the documentation shows of each type that has operations of its own: a check to change, a body, and what the summary leaves open. */
export const checkExamples = {
  API: {
    id: exampleIds.check,
    body: {
      name: "Front page",
      ...everyTenMinutes,
      groupId: exampleIds.group,
      request: {
        method: "GET",
        url: "https://shop.example/",
        assertions: [{ source: "STATUS_CODE", comparison: "EQUALS", target: "200" }],
      },
    },
    described: timed(30_000),
  },
  URL: {
    id: exampleIds.urlMonitor,
    body: { name: "Status page", ...everyTenMinutes, request: { url: "https://shop.example/status" } },
    described: timed(30_000),
  },
  TCP: {
    id: exampleIds.tcpCheck,
    body: { name: "Database port", ...everyTenMinutes, request: { hostname: "db.shop.example", port: 5432 } },
    described: timed(5_000),
  },
  DNS: {
    id: exampleIds.dnsMonitor,
    body: { name: "Name of the shop", ...everyTenMinutes, request: { query: "shop.example", recordType: "A" } },
    described: timed(5_000),
  },
  ICMP: {
    id: exampleIds.icmpMonitor,
    body: { name: "Router", ...everyTenMinutes, request: { hostname: "router.shop.example", pingCount: 5 } },
    described: "Judged by the share of lost packets, in percent.",
  },
  SSL: {
    id: exampleIds.sslMonitor,
    body: {
      name: "Certificate of the shop",
      ...everyTenMinutes,
      request: { sslConfig: { hostname: "shop.example", alertDaysBeforeExpiry: 14 } },
    },
    described: `The check is degraded \`alertDaysBeforeExpiry\` days before the certificate expires. ${timed(30_000)}`,
  },
  GRPC: {
    id: exampleIds.grpcMonitor,
    body: {
      name: "Orders over gRPC",
      ...everyTenMinutes,
      request: {
        url: "grpc.shop.example",
        port: 443,
        grpcConfig: { service: "shop.v1.Orders", method: "Get", serviceDefinition: "REFLECTION", message: '{"id": "42"}' },
        assertions: [{ source: "GRPC_RESPONSE", property: "$.status", comparison: "EQUALS", target: "SHIPPED" }],
      },
    },
    described: `Makes one unary call, or with \`mode: HEALTH\` asks the standard health service. A status other than OK fails, and so does a health other than SERVING, unless an assertion judges it. ${timed(30_000)}`,
  },
  TRACEROUTE: {
    id: exampleIds.tracerouteMonitor,
    body: { name: "Way to the shop", ...everyTenMinutes, request: { url: "shop.example", protocol: "TCP", port: 443 } },
    described: `Traces the path to a host, hop by hop; a host that is not reached fails. Null is the default where it runs: TCP to 443, UDP to 33434, 30 hops, 15 silent ones in a row of TCP and 10 of the others, 10 seconds. ${timed(30_000)}`,
  },
  PLAYWRIGHT: {
    id: exampleIds.playwrightCheck,
    body: { name: "Shop, end to end", ...everyTenMinutes, testCommand: "npx playwright test --grep @smoke" },
    described:
      "Runs a team's own Playwright project, which `codeBundlePath` names (`outpost suite deploy` uploads it). It goes to an agent that has a browser and a place for suites; where none has, it is missed with NO_CAPABLE_AGENT.",
  },
  BROWSER: {
    id: exampleIds.browserCheck,
    body: {
      name: "Find a book",
      ...everyTenMinutes,
      script: `${fromPlaywright}test("a visitor finds a book", async ({ page }) => {\n  await page.goto("https://shop.example/");\n  await expect(page.getByRole("heading").first()).toBeVisible();\n});\n`,
    },
    described: `Runs a Playwright script in a real Chromium. ${scripted}`,
  },
  MULTI_STEP: {
    id: exampleIds.multiStepCheck,
    body: {
      name: "Orders answer",
      ...everyTenMinutes,
      script: `${fromPlaywright}test("orders answer", async ({ request }) => {\n  expect((await request.get("https://shop.example/api/orders")).status()).toBe(200);\n});\n`,
    },
    described: `Runs a Playwright script without a browser: a chain of requests. On runtimes from 2023.09 on. ${scripted}`,
  },
  HEARTBEAT: {
    id: exampleIds.heartbeat,
    body: { name: "Nightly backup", tags: ["backup"], heartbeat: { period: 1, periodUnit: "days", grace: 30, graceUnit: "minutes" } },
    described:
      "The answer holds `pingUrl`: your job calls it when it has finished, by GET, POST or HEAD and without a key. The first ping starts the timer; every ping and every alert starts it anew. When nothing came by period and grace, a FAILING event is written. Deactivating forgets the timer.",
  },
} as const;
