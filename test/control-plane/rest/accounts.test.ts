import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { useEngines } from "../storage/fixture.ts";

describe("accounts", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const patch = (body: unknown, key?: string) => plane.call("PATCH", "/v1/accounts/me", { body, ...(key !== undefined && { key }) });

  it("that never chose have UTC and the default alert settings", async () => {
    const { body } = await plane.call("GET", "/v1/accounts/me");
    expect(body).toMatchObject({
      id: plane.account.uuid,
      settings: { timeZone: "UTC" },
      alertSettings: { escalationType: "RUN_BASED", runBasedEscalation: { failedRunThreshold: 1 }, reminders: { amount: 0, interval: 5 } },
    });
    expect((await plane.call("GET", "/v1/accounts")).body).toEqual([body]);
    expect((await plane.call("GET", `/v1/accounts/${plane.account.uuid}`)).body).toEqual(body);
  });

  it("keep what a change omits, at any depth, and tell it at once", async () => {
    await patch({ name: "Acme", runtimeId: "2025.04", settings: { timeZone: "europe/berlin", theme: "dark" }, plan: "free" });
    const { status, body } = await patch({
      alertSettings: { reminders: { amount: 3 }, timeBasedEscalation: { minutesFailingThreshold: 10 } },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: "Acme", runtimeId: "2025.04", plan: "self-hosted", settings: { timeZone: "Europe/Berlin" } });
    expect(body.alertSettings).toEqual({
      escalationType: "RUN_BASED",
      runBasedEscalation: { failedRunThreshold: 1 },
      timeBasedEscalation: { minutesFailingThreshold: 10 },
      reminders: { amount: 3, interval: 5 },
      parallelRunFailureThreshold: { enabled: false, percentage: 10 },
    });
    expect((await plane.call("GET", "/v1/accounts/me")).body).toEqual(body);
    expect((await patch({})).body).toEqual(body);
  });

  it.each([
    [{ settings: { timeZone: "Mars/Olympus" } }, /"settings\.timeZone" must be the name of an IANA time zone/],
    [{ settings: { timeZone: 5 } }, /"settings\.timeZone" must be a string/],
    [{ name: "" }, /"name"/],
    [{ name: "x".repeat(256) }, /"name"/],
    [{ runtimeId: "1999.01" }, /"runtimeId" must be one of 2026\.04/],
    [{ alertSettings: { reminders: { amount: 6 } } }, /"alertSettings\.reminders\.amount"/],
    [{ alertSettings: null }, /"alertSettings"/],
  ])("refuse %j and stay as they were", async (body, message) => {
    const before = (await plane.call("GET", "/v1/accounts/me")).body;
    const answer = await patch({ runtimeId: "2024.09", ...body });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(message)]);
    expect((await plane.call("GET", "/v1/accounts/me")).body).toEqual(before);
  });

  it("are changed by administrators only", async () => {
    expect((await patch({ name: "x" }, await plane.keyFor("READ_WRITE"))).status).toBe(403);
    expect((await patch({ name: "Acme" }, await plane.keyFor("ADMIN"))).status).toBe(200);
  });
});

const engines = await useEngines();

describe.each(engines.oneServer)("accounts in %s", (engine) => {
  it("take changes one after another, so that none is lost", async () => {
    const { accounts } = await engines.open(engine);
    const { id } = await accounts.create({ uuid: crypto.randomUUID(), name: "acme", runtimeId: "2026.04", nowMs: 1 });
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        accounts.update(id, ({ settings }) => ({ settings: { ...settings, [`setting${index}`]: index } })),
      ),
    );
    const after = await accounts.byId(id);
    expect(Object.keys(after?.settings ?? {})).toHaveLength(10);
    expect(after).toMatchObject({ name: "acme", runtimeId: "2026.04", alertSettings: {} });
    expect(await accounts.update(id + 1, () => ({ name: "nobody" }))).toBeUndefined();
  });
});
