import type { AttemptReport } from "#contract/agent-protocol.ts";
import type { CheckType } from "#contract/checks/index.ts";
import { checkDetails, checkMetrics } from "../check-details.ts";
import { randomFrom } from "../random-from.ts";
import { distrust, untrustedChain } from "./demo-certificate.ts";

/** What a shop of ours watches, made up; the same each time. */
export interface DemoCheck {
  readonly type: CheckType;
  readonly name: string;
  readonly group: string;
  readonly tags: readonly string[];
  readonly places: readonly string[];
  readonly usualMs: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** What else came of it than that it passed, so many minutes before now. */
  readonly trouble?: (minutesAgo: number, place: string) => Trouble | null;
}

type Trouble = "down" | "slow" | "refused" | "untrusted";

export const demoPlaces = [
  { slugName: "fra-dc", name: "Frankfurt data centre", agents: ["fra-rack-07", "fra-rack-12"] },
  { slugName: "lyon-office", name: "Lyon office", agents: ["lyon-nuc-1"] },
] as const;

const [fra, lyon] = ["fra-dc", "lyon-office"];
const both = [fra, lyon];
const status200 = [{ source: "STATUS_CODE", property: "", comparison: "EQUALS", target: "200" }];

const get = (url: string, assertions: readonly object[] = status200): Readonly<Record<string, unknown>> => ({
  request: { method: "GET", url, assertions },
});

export const demoChecks: readonly DemoCheck[] = [
  {
    type: "API",
    name: "Checkout API",
    group: "Storefront",
    tags: ["shop", "critical"],
    places: both,
    usualMs: 210,
    body: {
      request: {
        method: "POST",
        url: "https://api.shop.example/v2/checkout",
        headers: [{ key: "accept", value: "application/json", locked: false }],
        bodyType: "JSON",
        body: '{"basket":"demo","dryRun":true}',
        assertions: [...status200, { source: "JSON_BODY", property: "$.state", comparison: "EQUALS", target: "accepted" }],
      },
    },
    trouble: (ago) => (ago < 25 ? "down" : ago > 600 && ago < 660 ? "slow" : null),
  },
  {
    type: "URL",
    name: "Front page",
    group: "Storefront",
    tags: ["shop"],
    places: both,
    usualMs: 145,
    body: { request: { url: "https://shop.example/" } },
  },
  {
    type: "API",
    name: "Product search",
    group: "Storefront",
    tags: ["shop"],
    places: both,
    usualMs: 320,
    body: { ...get("https://api.shop.example/v2/search?q=lamp"), degradedResponseTime: 1_500 },
    trouble: (ago, place) => (ago < 45 && place === lyon ? "slow" : ago < 12 ? "slow" : null),
  },
  {
    type: "API",
    name: "Sign-in",
    group: "Storefront",
    tags: ["shop", "critical"],
    places: both,
    usualMs: 95,
    body: get("https://id.shop.example/health"),
  },
  {
    type: "API",
    name: "Card payments",
    group: "Payments",
    tags: ["payments", "critical"],
    places: both,
    usualMs: 260,
    body: get("https://pay.shop.example/v1/ping"),
    trouble: (ago, place) => (place === lyon && ago > 305 && ago < 345 ? "down" : null),
  },
  {
    type: "API",
    name: "Refunds",
    group: "Payments",
    tags: ["payments"],
    places: [fra],
    usualMs: 180,
    body: get("https://pay.shop.example/v1/refunds/health"),
  },
  {
    type: "SSL",
    name: "Certificate of pay.shop.example",
    group: "Payments",
    tags: ["payments", "tls"],
    places: [fra],
    usualMs: 48,
    body: { request: { sslConfig: { hostname: "pay.shop.example" } } },
  },
  {
    type: "SSL",
    name: "Certificate of the old mail host",
    group: "Platform",
    tags: ["mail", "tls"],
    places: [fra],
    usualMs: 52,
    body: { request: { sslConfig: { hostname: "mail-legacy.shop.example" } }, muted: true },
    trouble: () => "untrusted",
  },
  {
    type: "TCP",
    name: "Orders database",
    group: "Platform",
    tags: ["database"],
    places: [fra],
    usualMs: 3,
    body: { request: { hostname: "db-1.shop.internal", port: 5432 } },
    trouble: (ago) => (ago > 870 && ago < 905 ? "refused" : null),
  },
  {
    type: "DNS",
    name: "shop.example resolves",
    group: "Platform",
    tags: ["dns"],
    places: both,
    usualMs: 14,
    body: { request: { query: "shop.example", recordType: "A" } },
  },
  {
    type: "ICMP",
    name: "Gateway of the Lyon office",
    group: "Platform",
    tags: ["network"],
    places: [fra],
    usualMs: 11,
    body: { request: { hostname: "10.40.0.1", pingCount: 5 } },
  },
  {
    type: "TCP",
    name: "Mail relay",
    group: "Platform",
    tags: ["mail"],
    places: both,
    usualMs: 22,
    body: { request: { hostname: "smtp.shop.internal", port: 25 }, muted: true },
  },
  {
    type: "URL",
    name: "Help centre",
    group: "Storefront",
    tags: ["shop"],
    places: [lyon],
    usualMs: 190,
    body: { request: { url: "https://help.shop.example/" }, activated: false },
  },
];

/** What a run of a check that began so long ago came to, by its place in time alone. */
export function demoOutcome(check: DemoCheck, place: string, atMs: number, nowMs: number): Partial<AttemptReport> {
  const random = randomFrom(check.name.length, check.usualMs, place.length, Math.floor(atMs / 60_000));
  const trouble = check.trouble?.((nowMs - atMs) / 60_000, place) ?? null;
  const day = 1 + 0.25 * Math.sin((atMs / 86_400_000) * 2 * Math.PI);
  const far = place === lyon ? 1.35 : 1;
  const took = Math.max(0.4, check.usualMs * day * far * Math.exp(0.28 * normal(random)) * (random() < 0.015 ? 3 : 1));
  const responseTimeMs = Math.round(10 * (trouble === "slow" ? took * 7 + 1_500 : took)) / 10;
  return { responseTimeMs, ...seen(check, responseTimeMs, trouble), ...troubles[trouble ?? "none"] };
}

const troubles: Readonly<Record<Trouble | "none", Partial<AttemptReport>>> = {
  none: {},
  slow: { isDegraded: true },
  down: { hasFailures: true, statusCode: 503, errorMessage: 'expected the status code to equal "200", got "503"' },
  refused: {
    hasFailures: true,
    hasErrors: true,
    statusCode: null,
    errorMessage: "ECONNREFUSED: db-1.shop.internal:5432 refused the connection",
  },
  untrusted: { hasFailures: true, hasErrors: true, statusCode: null, errorMessage: `DEPTH_ZERO_SELF_SIGNED_CERT: ${distrust}` },
};

function seen({ type, body }: DemoCheck, tookMs: number, trouble: Trouble | null): Partial<AttemptReport> {
  if (type === "API" || type === "URL") return http(body["request"] as HttpRequest, tookMs, trouble === "down");
  const metrics = {
    ...checkMetrics[type],
    ...(type === "ICMP" && { latencyAvg: tookMs, latencyMin: tookMs * 0.8, latencyMax: tookMs * 1.4 }),
  };
  const good = { daysUntilExpiry: 41, chainTrusted: true, baselineVerdict: "pass", baselineGrade: "A", failureCategory: null };
  const detail = {
    ...checkDetails[type],
    request: { ...sentBy(checkDetails[type]), ...(body["request"] as object) },
    ...(type === "SSL" && (trouble === "untrusted" ? { response: untrustedChain } : good)),
  };
  return { statusCode: null, metrics: type === "SSL" ? { ...metrics, handshakeTimeMs: tookMs, daysUntilExpiry: 41 } : metrics, detail };
}

function sentBy(detail: object): object {
  return "request" in detail ? (detail.request as object) : {};
}

interface HttpRequest {
  readonly method?: string;
  readonly url: string;
  readonly body?: string;
  readonly assertions?: readonly object[];
}

function http({ method = "GET", url, body = "", assertions = [] }: HttpRequest, total: number, isDown: boolean): Partial<AttemptReport> {
  const [wait, dns, tcp, tls, download] = [0.2, 4.1, total * 0.08, total * 0.16, total * 0.06];
  const phases = { wait, dns, tcp, tls, firstByte: Math.max(0, total - wait - dns - tcp - tls - download), download };
  const answer = isDown ? '{"error":"upstream_timeout","upstream":"orders-2"}' : '{"state":"accepted","order":"demo-1042"}';
  const told = { error: 'expected the status code to equal "200", got "503"', actual: 503 };
  return {
    statusCode: isDown ? 503 : 200,
    metrics: phases,
    detail: {
      ...checkDetails.API,
      assertions: assertions.map((one, index) => ({ ...one, ...(isDown && (index === 0 ? told : { error: "the body has no $.state" })) })),
      request: { method, url, data: body, headers: { accept: "application/json", "user-agent": "Outpost" }, params: {} },
      response: {
        ...(checkDetails.API.response as object),
        status: isDown ? 503 : 200,
        statusText: isDown ? "Service Unavailable" : "OK",
        body: answer,
        bodyBytes: answer.length,
        headers: { "content-type": "application/json", "retry-after": isDown ? "30" : "0", "x-request-id": "7f3c-demo" },
        timingPhases: { ...phases, total },
      },
    },
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
