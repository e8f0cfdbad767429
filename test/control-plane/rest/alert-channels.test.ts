import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

let plane: ControlPlaneUnderTest;
beforeAll(async () => {
  plane = await controlPlaneUnderTest();
});
afterAll(async () => {
  await plane[Symbol.asyncDispose]();
});
const email = { type: "EMAIL", config: { address: "on-call@example.com" } };
const webhook = {
  type: "WEBHOOK",
  config: {
    name: "chat",
    url: "https://chat.example.com/{{CHECK_ID}}?key=hook-key",
    template: '{"text": "{{ALERT_TITLE}}"}',
    webhookSecret: "signing-secret",
    headers: [
      { key: "authorization", value: "Bearer locked-token", locked: true },
      { key: "x-team", value: "shop-team" },
    ],
  },
};
const create = (body: object) => plane.call("POST", "/v1/alert-channels", { body });
const replace = (id: number, body: object) => plane.call("PUT", `/v1/alert-channels/${id}`, { body });
const read = async (id: number) => (await plane.call("GET", `/v1/alert-channels/${id}`)).body;
const newCheck = async (changes: object = {}, query = "?autoAssignAlerts=false") =>
  (await plane.call("POST", `/v1/checks/api${query}`, { body: apiCheck(changes) })).body;
const subscriptionsOf = async (channelId: number) =>
  (await read(channelId)).subscriptions.map(({ checkId, activated }: { checkId: string; activated: boolean }) => ({ checkId, activated }));
const choicesOf = async (checkId: string) => (await plane.call("GET", `/v1/checks/${checkId}`)).body.alertChannelSubscriptions;

describe("alert channels", () => {
  it("come back with every default", async () => {
    const { status, body } = await create(email);
    expect(status).toBe(201);
    expect(body).toEqual({
      ...email,
      id: expect.any(Number),
      subscriptions: [],
      sendRecovery: true,
      sendFailure: true,
      sendDegraded: true,
      sslExpiry: false,
      sslExpiryThreshold: 30,
      retryHours: 24,
      autoSubscribe: false,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: null,
    });
    expect(await read(body.id)).toEqual({ ...body, projectBindings: { owner: null, references: [] } });
    const { body: after } = await replace(body.id, { ...email, sendFailure: false, sslExpiry: true, sslExpiryThreshold: 7 });
    expect(after).toMatchObject({ sendFailure: false, sendRecovery: true, sslExpiry: true, sslExpiryThreshold: 7 });
    expect((await plane.call("DELETE", `/v1/alert-channels/${body.id}`)).status).toBe(204);
    for (const method of ["GET", "DELETE"]) expect((await plane.call(method, `/v1/alert-channels/${body.id}`)).status).toBe(404);
    expect((await replace(body.id, email)).status).toBe(404);
  });

  it("are a thousand of an account at most, and say so", async () => {
    const { storage } = plane.context;
    const { id: accountId } = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "many", runtimeId: "2026.04", nowMs: 0 });
    const key = await plane.keyFor("READ_WRITE", accountId);
    const channel = { accountId, kind: "alert-channel", definition: {}, nowMs: 0 } as const;
    for (let count = 0; count < 1_000; count += 1) await storage.alertSubscriptions.createChannel(channel, [], 1_000);
    const another = () => plane.call("POST", "/v1/alert-channels", { key, body: email });
    expect(await another()).toMatchObject({
      status: 409,
      body: { message: "The account has 1000 alert channels, as many as there may be; delete one first" },
    });
    const made = await create(email);
    expect(made.status).toBe(201);
    await plane.call("DELETE", `/v1/alert-channels/${made.body.id}`);
    const first = await storage.documents.list(accountId, "alert-channel", { limit: 1 });
    await storage.documents.remove(accountId, "alert-channel", { id: first.items[0]?.id ?? 0 });
    expect((await another()).status).toBe(201);
  });

  it.each([
    ["SLACK", { url: "https://hooks.example.com/T0/B0", channel: "#ops" }, {}],
    ["SLACK_APP", { slackChannels: ["C0123"] }, {}],
    ["SMS", { name: "Ada", number: "+49 30 1234567" }, {}],
    ["CALL", { name: "Ada", number: "+49301234567" }, {}],
    ["PAGERDUTY", { serviceKey: "pager-key", serviceName: "shop", account: "acme" }, { serviceKey: "********" }],
    ["OPSGENIE", { name: "ops", apiKey: "genie-key" }, { apiKey: "********", region: "US", priority: "P3" }],
    ["WEBHOOK", { name: "hook", url: "{{{MY_HOOK}}}" }, { method: "POST", headers: [], queryParameters: [] }],
  ])("of the type %s keep their configuration, but for its secrets", async (type, config, shown) => {
    const { status, body } = await create({ type, config: { ...config, unknown: 1 } });
    expect(status).toBe(201);
    expect(body.config).toEqual({ ...config, ...shown });
  });

  it("show no secret again, store none readable, and keep those that come back as asterisks (E-08)", async () => {
    const { body, text } = await create(webhook);
    expect(body.config).toMatchObject({ url: webhook.config.url, webhookSecret: "********" });
    expect(body.config.headers.map(({ value }: { value: string }) => value)).toEqual(["********", "shop-team"]);
    const row = () => plane.context.storage.documents.find<{ config: object }>(plane.account.id, "alert-channel", { id: body.id });
    const before = await row();
    expect(JSON.stringify(before)).not.toMatch(/signing-secret|hook-key|locked-token|shop-team/);
    expect(text).not.toMatch(/signing-secret|locked-token/);
    expect((await replace(body.id, { type: "WEBHOOK", config: body.config })).body.config).toEqual(body.config);
    const { webhookSecret, headers } = (before?.definition.config ?? {}) as {
      webhookSecret: string;
      headers: readonly [{ value: string }];
    };
    expect((await row())?.definition.config).toMatchObject({ webhookSecret, headers: [{ value: headers[0].value }, {}] });
  });

  it("refuse asterisks that stand for nothing", async () => {
    const { status, body } = await create({ type: "OPSGENIE", config: { name: "ops", apiKey: "********" } });
    expect(status).toBe(400);
    expect(body.attributes.issues[0].path).toBe("config.apiKey");
    const { body: channel } = await create(email);
    const headers = [{ key: "a", value: "********", locked: true }];
    const other = await replace(channel.id, { type: "WEBHOOK", config: { ...webhook.config, headers } });
    expect(other.body.attributes.issues[0].path).toBe("config.headers[0].value");
  });

  it("neither show nor overwrite a locked value when the lock is taken off its asterisks", async () => {
    const { body } = await create(webhook);
    const headers = body.config.headers.map((entry: object) => ({ ...entry, locked: false }));
    const { status, body: refused } = await replace(body.id, { type: "WEBHOOK", config: { ...body.config, headers } });
    expect(status).toBe(400);
    expect(refused.attributes.issues).toEqual([{ path: "config.headers[0].value", message: expect.stringContaining("must be given") }]);
  });

  it.each([
    [{ type: "PIGEON", config: {} }, "type", "SLACK_APP"],
    [{ type: "EMAIL", config: { address: "nobody" } }, "config.address", "email"],
    [{ type: "SMS", config: { name: "x", number: "call me" } }, "config.number", "phone number"],
    [{ type: "WEBHOOK", config: { name: "x", url: "ftp://example.com" } }, "config.url", "http"],
    [{ type: "OPSGENIE", config: { name: "x", apiKey: "x", region: "ASIA" } }, "config.region", "EU"],
    [{ ...email, sendFailure: null }, "sendFailure", "boolean"],
    [{ ...email, sslExpiryThreshold: 31 }, "sslExpiryThreshold", "30"],
    [{ ...email, subscriptions: [{ activated: true }] }, "subscriptions[0].checkId", "neither"],
    [{ ...email, subscriptions: [{ checkId: "x", groupId: 1, activated: true }] }, "subscriptions[0].checkId", "both"],
    [{ ...email, subscriptions: [{ checkId: "nothing", activated: true }] }, "subscriptions[0].checkId", "nothing"],
    [{ ...email, subscriptions: [{ groupId: 987, activated: true }] }, "subscriptions[0].groupId", "987"],
  ])("are refused where %j is wrong, and nothing is made", async (body, path, word) => {
    const before = (await plane.call("GET", "/v1/alert-channels")).headers.get("content-range")?.split("/")[1];
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.body.attributes.issues[0].path).toBe(path);
    expect(answer.body.message).toContain(word);
    expect((await plane.call("GET", "/v1/alert-channels")).headers.get("content-range")?.split("/")[1]).toBe(before);
  });

  it("tell no secret in an error", async () => {
    const { text } = await create({ type: "SLACK", config: { url: "hooks.example.com/secret-path" } });
    expect(text).not.toContain("secret-path");
  });
});

describe("subscriptions", () => {
  it("are one relation, which checks and channels read and write", async () => {
    const check = await newCheck();
    const { body: channel } = await create({ ...email, subscriptions: [{ checkId: check.id.toUpperCase(), activated: true }] });
    expect(await choicesOf(check.id)).toEqual([{ alertChannelId: channel.id, activated: true }]);
    const off = { alertChannelSubscriptions: [{ alertChannelId: channel.id, activated: false }] };
    await plane.call("PUT", `/v1/checks/api/${check.id}`, { body: off });
    expect(await subscriptionsOf(channel.id)).toEqual([{ checkId: check.id, activated: false }]);
    await plane.call("PUT", `/v1/checks/api/${check.id}`, { body: { name: "renamed" } });
    expect(await choicesOf(check.id)).toEqual(off.alertChannelSubscriptions);
    await plane.call("PUT", `/v1/checks/api/${check.id}`, { body: { alertChannelSubscriptions: [] } });
    expect(await subscriptionsOf(channel.id)).toEqual([]);
  });

  it("of a channel stay where its replacement does not name them, and keep their id where it does", async () => {
    const [one, two] = [await newCheck(), await newCheck()];
    const { body: channel } = await create({ ...email, subscriptions: [{ checkId: one.id, activated: true }] });
    expect((await replace(channel.id, email)).body.subscriptions).toEqual(channel.subscriptions);
    const both = [
      { checkId: two.id, activated: true },
      { checkId: one.id, activated: false },
    ];
    const { body: after } = await replace(channel.id, { ...email, subscriptions: both });
    expect(after.subscriptions[0]).toEqual({ ...channel.subscriptions[0], activated: false });
    expect(after.subscriptions).toHaveLength(2);
    expect((await replace(channel.id, { ...email, subscriptions: [] })).body.subscriptions).toEqual([]);
  });

  it("are set one at a time, of checks and of groups", async () => {
    const check = await newCheck();
    const group = (await plane.call("POST", "/v1/check-groups?autoAssignAlerts=false", { body: { name: "shop" } })).body;
    const { body: channel } = await create(email);
    const set = (body: object, id = channel.id) => plane.call("PUT", `/v1/alert-channels/${id}/subscriptions`, { body });
    const { status, body: first } = await set({ checkId: check.id, activated: true });
    expect([status, first]).toEqual([200, { id: expect.any(Number), checkId: check.id, groupId: null, activated: true }]);
    expect((await set({ checkId: check.id, activated: false })).body).toEqual({ ...first, activated: false });
    const { body: ofGroup } = await set({ groupId: group.id, checkId: null, activated: true });
    expect(ofGroup).toEqual({ id: expect.any(Number), checkId: null, groupId: group.id, activated: true });
    expect((await read(channel.id)).subscriptions).toEqual([{ ...first, activated: false }, ofGroup]);
    const groupRead = (await plane.call("GET", `/v1/check-groups/${group.id}`)).body;
    expect(groupRead.alertChannelSubscriptions).toEqual([{ alertChannelId: channel.id, activated: true }]);
    expect((await set({ checkId: crypto.randomUUID(), activated: true })).body.attributes.issues[0].path).toBe("checkId");
    expect((await set({ checkId: check.id, activated: true }, 99_999_999)).status).toBe(404);
  });

  it("of a new check are those it names and, unless told otherwise, all channels", async () => {
    const { body: named } = await create(email);
    const { body: other } = await create(email);
    const { body: automatic } = await create({ ...email, autoSubscribe: true });
    const alertChannelSubscriptions = [{ alertChannelId: named.id, activated: false }];
    const alone = await newCheck({ alertChannelSubscriptions });
    expect(await choicesOf(alone.id)).toEqual([...alertChannelSubscriptions, { alertChannelId: automatic.id, activated: true }]);
    const assigned = await newCheck({ alertChannelSubscriptions }, "");
    expect(await choicesOf(assigned.id)).toEqual(
      expect.arrayContaining([...alertChannelSubscriptions, { alertChannelId: other.id, activated: true }]),
    );
    await plane.call("DELETE", `/v1/alert-channels/${automatic.id}`);
    expect(await choicesOf(alone.id)).toEqual(alertChannelSubscriptions);
    await plane.call("DELETE", `/v1/checks/${alone.id}`);
    expect(await subscriptionsOf(named.id)).toEqual([{ checkId: assigned.id, activated: false }]);
  });

  it("of a check to an unknown channel, or another account's, are refused, and no check is made", async () => {
    const stranger = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
    const key = await plane.keyFor("OWNER", stranger.id);
    const foreign = (await plane.call("POST", "/v1/alert-channels", { body: email, key })).body.id;
    const total = async () => (await plane.call("GET", "/v1/checks?limit=1")).headers.get("content-range")?.split("/")[1];
    const before = await total();
    for (const alertChannelId of [987_654, foreign]) {
      const body = apiCheck({ alertChannelSubscriptions: [{ alertChannelId, activated: true }] });
      const answer = await plane.call("POST", "/v1/checks/api", { body });
      expect(answer.status).toBe(400);
      expect(answer.body.attributes.issues[0].path).toBe("alertChannelSubscriptions[0].alertChannelId");
    }
    expect(await total()).toBe(before);
    const check = await newCheck();
    const taken = await plane.call("POST", "/v1/alert-channels", {
      body: { ...email, subscriptions: [{ checkId: check.id, activated: true }] },
      key,
    });
    expect(taken.status).toBe(400);
    for (const path of [`/v1/alert-channels/${foreign}`, `/v1/alert-channels/${foreign}/subscriptions`]) {
      expect((await plane.call("PUT", path, { body: { ...email, checkId: check.id, activated: true } })).status).toBe(404);
    }
  });

  it("show in a check whom it alerts, where they are activated", async () => {
    const channels = [
      { type: "EMAIL", config: { address: "a@example.com" } },
      { type: "SLACK", config: { url: "https://hooks.example.com/1" } },
      { type: "SMS", config: { name: "Ada", number: "+49301" } },
      { type: "PAGERDUTY", config: { serviceKey: "k" } },
      webhook,
    ];
    const ids: number[] = [];
    for (const channel of channels) ids.push((await create(channel)).body.id);
    const alertChannelSubscriptions = ids.map((alertChannelId) => ({ alertChannelId, activated: true }));
    const { alertChannels, id } = await newCheck({ alertChannelSubscriptions });
    expect(alertChannels).toEqual({
      email: [{ address: "a@example.com" }],
      slack: [{ url: "https://hooks.example.com/1" }],
      sms: [{ name: "Ada", number: "+49301" }],
      webhook: [
        {
          name: "chat",
          url: webhook.config.url,
          method: "POST",
          headers: [
            { key: "authorization", value: "********", locked: true },
            { key: "x-team", value: "shop-team", locked: false },
          ],
          queryParameters: [],
        },
      ],
    });
    const { body: listed } = await plane.call("GET", "/v1/checks?limit=100");
    expect(listed.find((one: { id: string }) => one.id === id).alertChannels).toEqual(alertChannels);
    await plane.call("PUT", `/v1/alert-channels/${ids[0]}/subscriptions`, { body: { checkId: id, activated: false } });
    expect((await plane.call("GET", `/v1/checks/${id}`)).body.alertChannels.email).toEqual([]);
  });
});
