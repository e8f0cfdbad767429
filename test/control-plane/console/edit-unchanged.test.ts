import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoredGroupVariable } from "#contract/check-groups.ts";
import { CheckTypeName } from "#contract/primitives.ts";
import { openedDefinition, variableField } from "../../../src/control-plane/secrets/definition-secrets.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { anyCheck, type World } from "./any-check.ts";
import type { Browser } from "./browser.ts";
import { formFields } from "./edit-forms.ts";
import { keyHolder } from "./key-holder.ts";

const webhook = { type: "WEBHOOK", config: { name: "hook", url: "https://hooks.example.com/", method: "POST" } };

describe("a form in which nobody types anything", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let here: Browser;
  let world: World;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    here = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
    const made = async (path: string, body: object) => (await plane.call("POST", path, { body })).body.id;
    for (const [name, slugName] of Object.entries({ Berlin: "berlin", Madrid: "madrid" }))
      await made("/v1/private-locations", { name, slugName });
    await plane.locationKey("eu-west-1");
    world = {
      groupId: await made("/v2/check-groups", { name: "Shops" }),
      snippetId: await made("/v1/snippets", { name: "Sign in", script: "go()" }),
      channelIds: [await made("/v1/alert-channels", webhook), await made("/v1/alert-channels", webhook)],
      serviceId: await made("/v1/status-pages/services", { name: "Checkout" }),
    };
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  /** What is stored, its secrets opened: asterisks that replaced one would look the same over REST. */
  async function opened(uuid: string): Promise<unknown> {
    const { definition } = (await plane.context.storage.checks.byUuid(plane.account.id, uuid)) ?? { definition: {} };
    const owner = { kind: "check", accountId: plane.account.id, row: uuid };
    const { unseal } = plane.controlPlane.sealing;
    const { request } = openedDefinition(definition, { unseal }, owner, () => undefined) as { readonly request?: unknown };
    const variables = (definition as { readonly environmentVariables?: StoredGroupVariable[] | null }).environmentVariables ?? [];
    return {
      request,
      values: variables.map(({ key, value, sealed }) =>
        sealed === undefined ? value : unseal(sealed, { ...owner, field: variableField(key) }),
      ),
    };
  }

  it.each(CheckTypeName.options)("leaves any check of type %s exactly as it was", async (checkType) => {
    const bodies = fc.oneof(anyCheck(checkType, world, true), anyCheck(checkType, world, false));
    const unchanged = async (body: object): Promise<void> => {
      const { status, body: made } = await plane.call("POST", "/v1/checks?autoAssignAlerts=false", { body });
      expect([status, made.message]).toEqual([201, undefined]);
      const path = `/v1/checks/${made.id}?includeDependencies=true`;
      const before = (await plane.call("GET", path)).body;
      const secrets = await opened(made.id);
      const saved = await here.post(`/checks/${made.id}/edit`, formFields((await here.get(`/checks/${made.id}/edit`)).text));
      expect([saved.status, /class="problem"[^>]*>[^<]*/.exec(saved.text)?.[0]]).toEqual([303, undefined]);
      expect((await plane.call("GET", path)).body).toEqual({ ...before, updated_at: expect.any(String) });
      expect(await opened(made.id)).toEqual(secrets);
    };
    await fc.assert(fc.asyncProperty(bodies, unchanged), { numRuns: 6, seed: 8, endOnFailure: true });
  });

  it.each([
    ["/v1/snippets", { name: "Two", script: "go()" }, "/snippets/{id}", "name"],
    ["/v1/variables", { key: "TWO", value: "1" }, "/variables/TWO", "value"],
    ["/v2/check-groups", { name: "Two" }, "/groups/{id}", "name"],
    ["/v1/alert-channels", webhook, "/channels/{id}", "config.name"],
    [
      "/v1/maintenance-windows",
      { name: "Two", startsAt: "2036-01-01", endsAt: "2036-01-02", pauseAllChecks: true },
      "/maintenance/{id}",
      "name",
    ],
    ["/v1/dashboards", { header: "Two", customUrl: "two-tabs" }, "/pages/dashboards/{dashboardId}", "header"],
    ["/v1/status-pages", { name: "Two", url: "two-tabs", cards: [] }, "/pages/status/{id}", "name"],
  ])("that was made by %s says what somebody else saved meanwhile, before it replaces that", async (path, body, page, name) => {
    const { body: made } = await plane.call("POST", path, { body });
    const address = page.replaceAll(/\{(\w+)\}/g, (_, field) => made[field]);
    const edit = page.startsWith("/groups") ? `${address}/edit` : address;
    const shown = formFields((await here.get(edit)).text);
    expect((await here.post(address, { ...shown, [name]: "First" })).status).toBe(303);
    const late = await here.post(address, { ...shown, [name]: "Second" });
    expect([late.status, late.text.includes("Someone changed this while you edited it"), late.text.includes("Second")]).toEqual([
      409,
      true,
      true,
    ]);
    expect((await here.get(edit)).text).toContain("First");
    expect((await here.post(address, formFields(late.text))).status).toBe(303);
    expect((await here.get(edit)).text).toContain("Second");
  });
});
