import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apiCheck } from "#contract/checks/api.ts";
import { intentV3Of } from "#contract/checks/intent.ts";
import { apiCheckBody, apiRequestBody } from "../bodies.ts";

const { create: ApiCheckCreate, update: ApiCheckUpdate, readV1: ApiCheckV1, readV3: ApiCheckV3 } = apiCheck;

/** The paths of the issues that a body is refused for; none when it is accepted. */
function issuePaths(schema: typeof ApiCheckCreate | typeof ApiCheckUpdate, body: unknown): string[] {
  return schema.safeParse(body).error?.issues.map((issue) => issue.path.join(".")) ?? [];
}

describe("creation of an API check", () => {
  it("fills in the defaults of spec 2.10", () => {
    expect(ApiCheckCreate.parse(apiCheckBody())).toEqual({
      name: "shop",
      checkType: "API",
      activated: true,
      muted: false,
      doubleCheck: true,
      shouldFail: false,
      locations: [],
      tags: [],
      useGlobalAlertSettings: true,
      alertSettings: {
        escalationType: "RUN_BASED",
        runBasedEscalation: { failedRunThreshold: 1 },
        reminders: { amount: 0, interval: 5 },
        parallelRunFailureThreshold: { enabled: false, percentage: 10 },
      },
      groupId: null,
      groupOrder: null,
      runtimeId: null,
      runParallel: false,
      description: null,
      intent: null,
      aiAutoRepairEnabled: null,
      frequency: 10,
      degradedResponseTime: 5000,
      maxResponseTime: 20_000,
      setupSnippetId: null,
      tearDownSnippetId: null,
      localSetupScript: null,
      localTearDownScript: null,
      request: {
        method: "GET",
        url: "https://shop.example",
        followRedirects: true,
        skipSSL: false,
        ipFamily: "IPv4",
        body: "",
        bodyType: "NONE",
        headers: [],
        queryParameters: [],
        assertions: [],
      },
    });
  });

  it.each([
    { name: "no locations as null", extra: { locations: null, privateLocations: null } },
    { name: "a private location by its slug", extra: { privateLocations: ["office"] } },
    { name: "no thresholds", extra: { degradedResponseTime: null, maxResponseTime: null } },
    { name: "the highest thresholds", extra: { degradedResponseTime: 30_000, maxResponseTime: 30_000 } },
    { name: "500 characters of description", extra: { description: "x".repeat(500) } },
    { name: "every few seconds", extra: { frequency: 0, frequencyOffset: 10 } },
    { name: "no retries", extra: { retryStrategy: null } },
    { name: "an old runtime", extra: { runtimeId: "2022.10" } },
    { name: "an incident without severity", extra: { triggerIncident: incident({}) } },
    { name: "basic auth left out as null", extra: { request: apiRequestBody({ basicAuth: null }) } },
    { name: "empty alert settings", extra: { alertSettings: {} } },
    { name: "alert settings left out as null", extra: { alertSettings: null } },
    { name: "a header without a value", extra: { request: apiRequestBody({ headers: [{ key: "x-empty" }] }) } },
  ])("accepts $name", ({ extra }) => {
    expect(issuePaths(ApiCheckCreate, apiCheckBody(extra))).toEqual([]);
  });

  it.each([
    { extra: { name: "" }, path: "name" },
    { extra: { name: undefined }, path: "name" },
    { extra: { request: undefined }, path: "request" },
    { extra: { request: { url: "https://shop.example" } }, path: "request.method" },
    { extra: { request: apiRequestBody({ method: "TRACE" }) }, path: "request.method" },
    { extra: { request: apiRequestBody({ url: "x".repeat(2049) }) }, path: "request.url" },
    { extra: { request: apiRequestBody({ headers: [{ key: "" }] }) }, path: "request.headers.0.key" },
    {
      extra: { request: apiRequestBody({ assertions: [{ source: "LATENCY", comparison: "EQUALS" }] }) },
      path: "request.assertions.0.source",
    },
    { extra: { request: apiRequestBody({ basicAuth: { username: "u" } }) }, path: "request.basicAuth.password" },
    { extra: { locations: ["mars-1"] }, path: "locations.0" },
    { extra: { privateLocations: [""] }, path: "privateLocations.0" },
    { extra: { tags: [""] }, path: "tags.0" },
    { extra: { runtimeId: "2021.10" }, path: "runtimeId" },
    { extra: { frequency: 3 }, path: "frequency" },
    { extra: { frequencyOffset: 0 }, path: "frequencyOffset" },
    { extra: { frequencyOffset: 1.5 }, path: "frequencyOffset" },
    { extra: { degradedResponseTime: -1 }, path: "degradedResponseTime" },
    { extra: { degradedResponseTime: 30_001 }, path: "degradedResponseTime" },
    { extra: { maxResponseTime: 30_001 }, path: "maxResponseTime" },
    { extra: { groupId: "1" }, path: "groupId" },
    { extra: { groupOrder: -1 }, path: "groupOrder" },
    { extra: { description: "x".repeat(501) }, path: "description" },
    { extra: { checkType: "TCP" }, path: "checkType" },
    { extra: { activated: "yes" }, path: "activated" },
    { extra: { alertChannelSubscriptions: [{ alertChannelId: 1 }] }, path: "alertChannelSubscriptions.0.activated" },
    { extra: { alertSettings: { escalationType: "NEVER" } }, path: "alertSettings.escalationType" },
    { extra: { alertSettings: { reminders: { amount: 6 } } }, path: "alertSettings.reminders.amount" },
    { extra: { retryStrategy: {} }, path: "retryStrategy.type" },
    { extra: { retryStrategy: { type: "FIXED", maxRetries: 11 } }, path: "retryStrategy.maxRetries" },
    { extra: { retryStrategy: { type: "FIXED", maxDurationSeconds: 601 } }, path: "retryStrategy.maxDurationSeconds" },
    { extra: { retryStrategy: { type: "FIXED", onlyOn: "TUESDAY" } }, path: "retryStrategy.onlyOn" },
    { extra: { triggerIncident: incident({ serviceId: "shop" }) }, path: "triggerIncident.serviceId" },
  ])("refuses $extra, naming $path", ({ extra, path }) => {
    expect(issuePaths(ApiCheckCreate, apiCheckBody(extra))).toEqual([path]);
  });

  it("ignores read-only and unknown keys, at any depth", () => {
    const read = { id: "abc", created_at: 1, createdAt: "now", updated_at: {}, alertChannels: 7, heartbeat: { period: 0 } };
    const assertion = { source: "STATUS_CODE", comparison: "EQUALS", target: "200" };
    const plain = apiCheckBody({ request: apiRequestBody({ assertions: [assertion] }) });
    const noisy = apiCheckBody({
      ...read,
      request: apiRequestBody({ assertions: [{ ...assertion, edit: true, order: 1, arrayIndex: 0 }] }),
    });
    expect(ApiCheckCreate.parse(noisy)).toEqual(ApiCheckCreate.parse(plain));
  });

  it("keeps a script as it came, or null, and refuses what is none", () => {
    for (const script of ["1", "", null]) expect(ApiCheckCreate.parse(apiCheckBody({ script })).script).toBe(script);
    expect(ApiCheckCreate.safeParse(apiCheckBody({ script: 1 })).error?.issues.map(({ path }) => path)).toEqual([["script"]]);
  });

  it("ignores whatever key it does not know", () => {
    const known = new Set(Object.keys(ApiCheckCreate.shape));
    const foreign = fc.dictionary(
      fc.string().filter((key) => !known.has(key)),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(foreign, (extra) => {
        expect(ApiCheckCreate.parse({ ...extra, ...apiCheckBody() })).toEqual(ApiCheckCreate.parse(apiCheckBody()));
      }),
    );
  });

  it("keeps the unused escalation and empty objects as they came", () => {
    const alertSettings = { escalationType: "RUN_BASED", runBasedEscalation: {}, timeBasedEscalation: { minutesFailingThreshold: 30 } };
    expect(ApiCheckCreate.parse(apiCheckBody({ alertSettings })).alertSettings).toEqual(alertSettings);
  });

  it("fills in an empty reminders object", () => {
    expect(ApiCheckCreate.parse(apiCheckBody({ alertSettings: { reminders: {} } })).alertSettings).toEqual({
      escalationType: "RUN_BASED",
      reminders: { amount: 0, interval: 5 },
    });
  });

  it.each([
    { onlyOn: "NETWORK_ERROR", expected: ["NETWORK_ERROR"] },
    { onlyOn: ["NETWORK_ERROR"], expected: ["NETWORK_ERROR"] },
    { onlyOn: [], expected: [] },
  ])("reads onlyOn $onlyOn as $expected", ({ onlyOn, expected }) => {
    const check = ApiCheckCreate.parse(apiCheckBody({ retryStrategy: { type: "LINEAR", onlyOn } }));
    expect(check.retryStrategy).toEqual({
      type: "LINEAR",
      baseBackoffSeconds: 60,
      sameRegion: true,
      maxRetries: 2,
      maxDurationSeconds: 600,
      onlyOn: expected,
    });
  });
});

describe("update of an API check", () => {
  it.each([
    {},
    { muted: true },
    { groupId: null },
    { locations: [], privateLocations: [] },
    { request: apiRequestBody() },
    { retryStrategy: { type: "EXPONENTIAL" } },
    { alertSettings: { reminders: {}, parallelRunFailureThreshold: { enabled: true }, timeBasedEscalation: {} } },
  ])("keeps %j as it is: no defaults", (body) => {
    expect(ApiCheckUpdate.parse(body)).toEqual(body);
  });

  it("makes every field optional", () => {
    const unlike = Object.entries(ApiCheckUpdate.shape).filter(([, field]) => {
      const { success, data } = field.safeParse(undefined);
      return !success || data !== undefined;
    });
    expect(unlike).toEqual([]);
  });

  it("knows the same fields as creation", () => {
    expect(Object.keys(ApiCheckUpdate.shape).sort()).toEqual(Object.keys(ApiCheckCreate.shape).sort());
  });

  it.each([
    { body: { name: "" }, path: "name" },
    { body: { name: null }, path: "name" },
    { body: { request: { url: "https://shop.example" } }, path: "request.method" },
    { body: { frequency: 7 }, path: "frequency" },
    { body: { maxResponseTime: 30_001 }, path: "maxResponseTime" },
    { body: { retryStrategy: { maxRetries: 3 } }, path: "retryStrategy.type" },
    { body: { checkType: "URL" }, path: "checkType" },
  ])("refuses $body, naming $path", ({ body, path }) => {
    expect(issuePaths(ApiCheckUpdate, body)).toEqual([path]);
  });
});

describe("reads of an API check", () => {
  const stored = {
    ...ApiCheckCreate.parse(apiCheckBody({ intent: { goal: "sell", requiredOutcomes: ["a basket"], mustPreserve: ["prices"] } })),
    id: "0d3f4b2e-6c1a-4f7e-9a51-1f2e3d4c5b6a",
    frequencyOffset: 1,
    privateLocations: null,
    retryStrategy: null,
    triggerIncident: null,
    alertChannelSubscriptions: [],
    alertChannels: { email: [], webhook: [], slack: [], sms: [] },
    created_at: "2026-05-01T00:00:00.000Z",
    updated_at: null,
  };

  it("carry a created check and nothing more", () => {
    expect(ApiCheckV1.parse(stored)).toEqual(stored);
  });

  it("need the full instant in created_at", () => {
    expect(ApiCheckV1.safeParse({ ...stored, created_at: "2026-05-01" }).success).toBe(false);
  });

  it("tell the intent as typed constraints in v3", () => {
    const intent = stored.intent && intentV3Of(stored.intent);
    expect(ApiCheckV3.parse({ ...stored, intent }).intent).toEqual({
      goal: "sell",
      constraints: [
        { type: "REQUIRED_OUTCOME", statement: "a basket" },
        { type: "MUST_PRESERVE", statement: "prices" },
      ],
    });
  });
});

function incident(extra: Readonly<Record<string, unknown>>) {
  return { serviceId: "11111111-1111-1111-1111-111111111111", name: "down", description: "", notifySubscribers: true, ...extra };
}
