import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CheckGroupCreateV2, type CheckGroupSettings } from "#contract/check-groups.ts";
import { apiCheck } from "#contract/checks/api.ts";
import { checkTypeNames } from "#contract/primitives.ts";
import { effectiveCheck, effectiveRequest, effectiveRun, ownRunSettings } from "#domain/effective-check.ts";
import { compareInGroup } from "#domain/group-order.ts";

/** A group that enforces nothing, changed. */
function group(change: Partial<CheckGroupSettings> = {}): CheckGroupSettings {
  const { alertChannelSubscriptions: _, environmentVariables: _variables, ...settings } = CheckGroupCreateV2.parse({ name: "g" });
  return { ...settings, privateLocations: null, environmentVariables: null, ...change };
}

function check(change: object = {}) {
  return apiCheck.create.parse({ name: "c", locations: ["eu-west-1"], request: { method: "GET", url: "http://a/" }, ...change });
}

function request(change: object) {
  return check({ request: { method: "GET", url: "http://a/{{PATH}}", ...change } }).request;
}

const own = { type: "FIXED", baseBackoffSeconds: 5, maxRetries: 1, maxDurationSeconds: 60, sameRegion: true } as const;
const theirs = { ...own, type: "LINEAR" } as const;
const alerts = { escalationType: "RUN_BASED", runBasedEscalation: { failedRunThreshold: 4 } } as const;

describe("a check in a group", () => {
  it("is as it says itself where the group enforces nothing", () => {
    const of = check({ retryStrategy: own, runParallel: true, tags: ["a"] });
    expect(effectiveCheck(group(), "API", of)).toEqual(of);
    expect(effectiveCheck(null, "API", of)).toBe(of);
  });

  it.each([
    ["runs only where both are activated", { activated: false }, {}, { activated: false }],
    ["does not run because its group does", {}, { activated: false }, { activated: false }],
    ["is muted by its group", { muted: true }, {}, { muted: true }],
    ["stays muted", {}, { muted: true }, { muted: true }],
    ["carries the tags of both, each once", { tags: ["b", "a"] }, { tags: ["a"] }, { tags: ["a", "b"] }],
    ["runs where its group says", { locations: ["us-east-1"] }, {}, { locations: ["us-east-1"], privateLocations: [] }],
    ["runs at its group's private locations only", { privateLocations: ["lab"] }, {}, { locations: [], privateLocations: ["lab"] }],
    ["keeps its locations where the group has none", { locations: [], privateLocations: [] }, {}, { locations: ["eu-west-1"] }],
    ["follows the group in runParallel", { runParallel: false }, { runParallel: true }, { runParallel: false }],
    ["keeps its own runtime", { runtimeId: "2025.04" }, { runtimeId: "2026.04" }, { runtimeId: "2026.04" }],
    ["takes the group's runtime where it has none", { runtimeId: "2025.04" }, {}, { runtimeId: "2025.04" }],
    ["is retried as its group says", { retryStrategy: theirs }, { retryStrategy: own }, { retryStrategy: theirs }],
    ["is not retried where its group forbids it", { retryStrategy: null }, { retryStrategy: own }, { retryStrategy: null }],
    ["is retried as it says itself", { retryStrategy: "FALLBACK" }, { retryStrategy: own }, { retryStrategy: own }],
    [
      "alerts by its group's settings rather than the account's",
      { useGlobalAlertSettings: false, alertSettings: alerts },
      {},
      { useGlobalAlertSettings: false, alertSettings: alerts },
    ],
    [
      "alerts by settings that its group left to no one else",
      { useGlobalAlertSettings: null, alertSettings: alerts },
      {},
      { useGlobalAlertSettings: false, alertSettings: alerts },
    ],
    [
      "alerts by the account's settings with its group",
      { useGlobalAlertSettings: true, alertSettings: alerts },
      {},
      { useGlobalAlertSettings: true },
    ],
    [
      "alerts by its own settings first",
      { useGlobalAlertSettings: false, alertSettings: { escalationType: "TIME_BASED" } },
      { useGlobalAlertSettings: false, alertSettings: alerts },
      { useGlobalAlertSettings: false, alertSettings: alerts },
    ],
  ] as const)("%s", (_case, ofGroup, ofCheck, expected) => {
    expect(effectiveCheck(group(ofGroup as Partial<CheckGroupSettings>), "API", check(ofCheck))).toMatchObject(expected);
  });

  it("gets the group's headers and parameters that it has not, and its assertions after its own", () => {
    const assertion = { source: "STATUS_CODE", comparison: "EQUALS", target: "200" };
    const defaults = group({
      apiCheckDefaults: {
        ...group().apiCheckDefaults,
        url: "http://elsewhere/",
        headers: ["X-Team", "accept"].map((key) => ({ key, value: "group", locked: false })),
        queryParameters: ["Q", "q"].map((key) => ({ key, value: "group", locked: false })),
        assertions: [{ source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "900", property: "", regex: "" }],
      },
    }).apiCheckDefaults;
    const entry = (key: string) => ({ key, value: "own" });
    const made = effectiveRequest(
      defaults,
      request({ headers: [entry("Accept"), entry("accept")], queryParameters: [entry("q"), entry("q")], assertions: [assertion] }),
    );
    expect(made.headers.map(({ key, value }) => `${key}=${value}`)).toEqual(["X-Team=group", "Accept=own", "accept=own"]);
    expect(made.queryParameters.map(({ key, value }) => `${key}=${value}`)).toEqual(["Q=group", "q=own", "q=own"]);
    expect(made.assertions.map(({ target }) => target)).toEqual(["200", "900"]);
    expect(made.url).toBe("http://a/{{PATH}}");
  });

  const [alice, bob, nobody] = [
    { username: "alice", password: "" },
    { username: "bob", password: "x" },
    { username: "", password: "" },
  ];
  it.each([
    { ofGroup: alice, ofCheck: bob, expected: bob },
    { ofGroup: alice, ofCheck: nobody, expected: alice },
    { ofGroup: alice, ofCheck: null, expected: alice },
    { ofGroup: alice, ofCheck: undefined, expected: alice },
    { ofGroup: nobody, ofCheck: null, expected: null },
    { ofGroup: undefined, ofCheck: bob, expected: bob },
  ])("signs in as $expected with the group's $ofGroup and its own $ofCheck", ({ ofGroup, ofCheck, expected }) => {
    const defaults = { ...group().apiCheckDefaults, basicAuth: ofGroup };
    expect(effectiveRequest(defaults, request({ basicAuth: ofCheck })).basicAuth).toEqual(expected);
  });

  it("has the group's variables where it names none of the key", () => {
    const variable = (key: string, value: string) => ({ key, value, locked: false, secret: false });
    const of = { ...check(), environmentVariables: [variable("A", "own")] };
    const made = effectiveCheck(group({ environmentVariables: [variable("A", "group"), variable("B", "group")] }), "BROWSER", of);
    expect(made.environmentVariables).toEqual([variable("B", "group"), variable("A", "own")]);
  });

  it("is only muted, tagged and told of by its group when it is a heartbeat", () => {
    const of = { activated: true, muted: false, tags: [], runParallel: false };
    const made = effectiveCheck(
      group({ locations: ["eu-west-1"], retryStrategy: own, runtimeId: "2026.04", muted: true }),
      "HEARTBEAT",
      of,
    );
    expect(made).toEqual({ ...of, muted: true });
  });
});

describe("the runs of a check in a group", () => {
  const runs = (change: Partial<CheckGroupSettings>, locationIds: readonly number[] = []) => ({ ...group(change), locationIds });
  const script = { localSetupScript: "1" };

  it.each([
    ["API", {}, {}, null],
    ["API", script, {}, "account"],
    ["API", {}, script, "account"],
    ["URL", script, {}, null],
    ["API", { ...script, runtimeId: "2025.04" }, {}, "2025.04"],
    ["API", { runtimeId: "2025.04" }, script, "2025.04"],
    ["API", { ...script, runtimeId: "2025.04" }, { runtimeId: "2026.04" }, "2026.04"],
    ["API", { setupSnippetId: 7 }, {}, "account"],
  ] as const)("of type %s with %j in the group and %j of its own need the runtime %s", (type, ofGroup, ofCheck, expected) => {
    expect(effectiveRun(runs(ofGroup as Partial<CheckGroupSettings>), ownRunSettings(type, check(ofCheck), [1])).scriptRuntime).toBe(
      expected,
    );
  });

  it("are those of `effectiveCheck`", () => {
    const tri = fc.constantFrom(true, false, null);
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 3 });
    const type = fc.constantFrom(...checkTypeNames);
    fc.assert(
      fc.property(
        type,
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        tri,
        ids,
        ids,
        (name, on, groupOn, parallel, groupParallel, mine, others) => {
          const codes = (list: readonly number[]) => list.map(String);
          const settings = group({ activated: groupOn, runParallel: groupParallel, privateLocations: codes(others) });
          const of = {
            activated: on,
            muted: false,
            tags: [],
            runParallel: parallel,
            locations: [],
            privateLocations: codes(mine),
            request: request({}),
          };
          const whole = effectiveCheck(settings, name, of);
          const run = effectiveRun({ ...settings, locationIds: others }, ownRunSettings(name, of, mine));
          expect({ ...run, locationIds: codes(run.locationIds) }).toMatchObject({
            activated: whole.activated,
            locationIds: whole.privateLocations,
            ...(name !== "HEARTBEAT" && { runParallel: whole.runParallel }),
          });
        },
      ),
    );
  });
});

describe("the order of a group", () => {
  it("is that of groupOrder, then of age; those without come last", () => {
    const checks = [
      { id: 1, groupOrder: null },
      { id: 2, groupOrder: 1 },
      { id: 3, groupOrder: 0 },
      { id: 4, groupOrder: null },
      { id: 5, groupOrder: 1 },
      { id: 6, groupOrder: 0.5 },
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(checks, { minLength: 6 }), (shuffled) => {
        expect(shuffled.toSorted(compareInGroup).map(({ id }) => id)).toEqual([3, 6, 2, 5, 1, 4]);
      }),
    );
  });
});
