import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorGroupIdOf } from "../../../src/control-plane/kinds/ids.ts";
import { type StoredAnalysis, storedAnalysis } from "../../../src/control-plane/root-causes/stored-analysis.ts";
import { eventually } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import { type FailingSite, failingSite } from "./failing-site.ts";
import { type ModelEndpoint, modelEndpoint } from "./model-endpoint.ts";

const places = ["north", "south", "east"] as const;
type Place = (typeof places)[number];
const minute = 60_000;

describe("the likely cause of an open alert", { timeout: 60_000 }, () => {
  let endpoint: ModelEndpoint;
  let site: FailingSite;
  let check: string;
  const agents = new Map<Place, FakeAgent>();
  beforeAll(async () => {
    endpoint = await modelEndpoint();
    site = await failingSite({
      ROOT_CAUSE_MODEL_URL: `${endpoint.url}/v1`,
      ROOT_CAUSE_MODEL: "small",
      ROOT_CAUSE_MODEL_KEY: endpoint.key,
    });
    await site.call("PATCH", "/v1/accounts/me", { body: { settings: { rootCauseModel: "on" } } });
    for (const place of places) agents.set(place, await FakeAgent.open(site.base, await site.location(place)));
    check = await site.make("api", { privateLocations: [...places], request: { method: "GET", url: "http://192.0.2.1/" } });
  }, 60_000);
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await endpoint[Symbol.asyncDispose]();
  });

  async function run(failing: readonly Place[]): Promise<void> {
    await site.call("POST", "/v2/check-sessions/trigger", { body: { target: { checkId: [check] } } });
    for (const place of places) {
      const [job] = await agents.get(place)!.lease(1, 5);
      const failure = { hasFailures: true, hasErrors: true, statusCode: null, errorMessage: "ECONNREFUSED: no" };
      await agents.get(place)!.report(reportOf(job!, failing.includes(place) ? failure : {}));
    }
  }

  /** Completed ones, the newest first. */
  async function analyses(): Promise<readonly StoredAnalysis[]> {
    const [group] = (await site.call("GET", `/v1/error-groups/checks/${check}?limit=1`)).body;
    const errorGroupId = errorGroupIdOf(group?.id ?? "") ?? 0;
    const rows = await site.context.storage.analyses.ofGroup(site.account.id, { errorGroupId, testFailureGroupId: null });
    return rows.flatMap(({ completed }) => storedAnalysis(completed?.analysis) ?? []);
  }
  const untilThereAre = (count: number) => eventually(async () => (await analyses()).length === count && (await analyses()));
  const textsOf = (one: StoredAnalysis | undefined): readonly string[] => (one?.causes ?? []).map(({ text }) => text);

  it("is looked for again once another location fails, and costs no second answer of a model where the rules find the same", async () => {
    await run([]);
    await run(["north"]);
    const [first] = await untilThereAre(1);
    expect(textsOf(first).join()).toContain("It fails only at north");
    expect(endpoint.asked).toHaveLength(1);

    await run(["north", "south"]);
    site.advance(2 * minute);
    const [second] = await untilThereAre(2);
    expect(textsOf(second)).not.toEqual([]);
    expect(textsOf(second).join()).not.toContain("only at");
    expect([second?.model?.because, endpoint.asked.length]).toEqual([null, 2]);

    for (const place of places) await agents.get(place)!.heartbeat([]);
    await run(["north", "south", "east"]);
    site.advance(2 * minute);
    const [third] = await untilThereAre(3);
    expect([textsOf(third), third?.model, endpoint.asked.length]).toEqual([textsOf(second), second?.model, 2]);
  });
});
