import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Receiver, receiver } from "../alerting/channels/receiver.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";

const told = { sendFailure: "on", sendRecovery: "on", sslExpiryThreshold: "30" };

describe("the pages of channels", () => {
  let plane: ControlPlaneUnderTest;
  let hook: Receiver;
  let here: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    hook = await receiver();
    here = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await hook[Symbol.asyncDispose]();
  });
  const all = async () => (await plane.call("GET", "/v1/alert-channels?limit=100")).body;
  const create = async (body: object): Promise<number> => (await plane.call("POST", "/v1/alert-channels", { body })).body.id;
  const read = async (id: number) => (await plane.call("GET", `/v1/alert-channels/${id}`)).body;
  const webhook = (changes: object = {}) => ({
    type: "WEBHOOK",
    config: {
      name: "Chat",
      url: `${hook.url}/hook-key`,
      webhookSecret: "signing-secret",
      headers: [
        { key: "authorization", value: "Bearer locked-token", locked: true },
        { key: "x-team", value: "shop" },
      ],
      ...changes,
    },
  });
  const fields = { "config.name": "Chat", "config.method": "POST", "config.webhookType": "", "config.template": "", ...told };

  it("make a channel of each type that is asked for, and list it", async () => {
    const made: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      EMAIL: { "config.address": "on-call@example.com", autoSubscribe: "on" },
      SLACK: { "config.url": "https://hooks.example.com/T0/B0/hook-key", "config.channel": "#ops" },
      SLACK_APP: { "config.slackChannels": "#one, #two" },
      WEBHOOK: { ...fields, "config.url": hook.url, "config.headers": "Authorization: Bearer abc\r\nX-Team: a: b" },
      SMS: { "config.name": "Night", "config.number": "+49 30 1234" },
      CALL: { "config.name": "Night call", "config.number": "+49 30 1234" },
      PAGERDUTY: { "config.serviceKey": "pager-secret" },
      OPSGENIE: { "config.name": "Ops", "config.apiKey": "genie-secret", "config.region": "EU", "config.priority": "P1" },
    };
    for (const [type, given] of Object.entries(made)) {
      expect((await here.get(`/channels/new?type=${type}`)).status).toBe(200);
      const { location, text } = await here.post("/channels", { type, ...told, ...given });
      expect([type, location, text]).toEqual([type, "/channels?done=created", ""]);
    }
    const stored = await all();
    expect(stored.map(({ type }: { type: string }) => type)).toEqual(Object.keys(made));
    expect(stored[0]).toMatchObject({
      config: { address: "on-call@example.com" },
      sendDegraded: false,
      autoSubscribe: true,
      sslExpiry: false,
    });
    expect(stored[2].config.slackChannels).toEqual(["#one", "#two"]);
    expect(stored[3].config.headers).toEqual([
      { key: "Authorization", value: "********", locked: true },
      { key: "X-Team", value: "a: b", locked: false },
    ]);
    const { text } = await here.get("/channels?done=created");
    expect(text).toContain("Channel created.");
    expect(text).toContain("Slack · hooks.example.com");
    expect(text).toContain("Failures, recoveries");
    expect(text).not.toMatch(/hook-key|pager-secret|genie-secret/);
    const { body } = await plane.call("GET", "/v1/audit-log?operation=createAlertChannel&limit=1");
    expect(body.entries).toMatchObject([{ path: "/channels", actor: { role: "READ_WRITE" } }]);
  });

  it("say what is wrong beside the field it belongs to, and keep what was typed but secrets", async () => {
    await here.get("/channels/new?type=WEBHOOK");
    const before = (await all()).length;
    const sent = {
      type: "WEBHOOK",
      ...fields,
      "config.name": evil,
      "config.url": "ftp://example.com",
      "config.webhookSecret": "signing-secret",
      "config.headers": "authorization: Bearer locked-token\nx-team: shop",
      sslExpiryThreshold: "90",
    };
    const { status, text } = await here.post("/channels", sent);
    expect(status).toBe(400);
    expect(text).toMatch(
      /<p class="problem" id="config.url-problem">Must be an http or https address; \{\{…\}\} may stand in it\.<\/p>\s*<input id="config.url"/,
    );
    expect(text).toMatch(/id="sslExpiryThreshold-problem">Must be at most 30\.</);
    expect(text).toContain('value="ftp://example.com"');
    expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(text).toContain("x-team: shop");
    expect(text).not.toMatch(/signing-secret|locked-token/);
    expect(text).toMatch(/name="sendFailure" value="on" checked/);
    expect(text).not.toMatch(/name="sendDegraded" value="on" checked/);
    expect(activeParts(text)).toEqual([]);
    const lines = await here.post("/channels", {
      ...sent,
      sslExpiryThreshold: "3",
      "config.headers": "token:\nnothing",
    });
    expect(lines.text).toContain('id="config.url-problem"');
    expect(lines.text).toMatch(/id="config.headers-problem">Enter the value of &quot;token&quot; again[^<]*Line 2 has no colon/);
    expect((await here.post("/channels", { type: "EMAIL", ...told, "config.address": "nobody" })).text).toMatch(
      /id="config.address-problem">Must be a valid email/,
    );
    expect((await all()).length).toBe(before);
    expect((await here.get("/channels/new?type=PIGEON")).status).toBe(400);
    expect((await here.get("/channels/new")).text).toContain("New alert channel: E-mail");
  });

  it("change a channel, and keep secrets and subscriptions that were left as they are", async () => {
    const id = await create({ ...webhook(), sslExpiry: true, sslExpiryThreshold: 7 });
    const { text } = await here.get(`/channels/${id}`);
    expect(text).toContain("authorization: ********\nx-team: shop");
    expect(text).toContain(`value="${hook.url}/hook-key"`);
    expect(text).not.toMatch(/signing-secret|locked-token/);
    const headers = "authorization: ********\r\nx-team: search";
    const changed = { ...fields, "config.name": "Talk", "config.url": `${hook.url}/{{CHECK_ID}}`, "config.headers": headers };
    const moved = await here.post(`/channels/${id}`, changed);
    expect([moved.status, moved.text.includes("Must be given anew, as the address changes")]).toEqual([400, true]);
    const stays = { ...changed, "config.url": `${hook.url}/hook-key` };
    expect((await here.post(`/channels/${id}`, stays)).location).toBe("/channels?done=changed");
    const config = {
      name: "Talk",
      webhookSecret: "********",
      headers: [{ key: "authorization", value: "********", locked: true }, { value: "search" }],
    };
    expect(await read(id)).toMatchObject({ config, sslExpiry: false, sslExpiryThreshold: 30, sendDegraded: false });
    await here.post(`/channels/${id}/test`);
    expect(hook.received.at(-1)?.headers).toMatchObject({ authorization: "Bearer locked-token", "x-team": "search" });
    expect(hook.received.at(-1)?.headers["x-service-signature"]).toBeDefined();
    await here.post(`/channels/${id}`, { ...stays, "remove.webhookSecret": "on" });
    expect((await read(id)).config.webhookSecret).toBeNull();
  });

  it("send a sample, and show what the receiver answered", async () => {
    const id = await create(webhook({ name: `Chat ${evil}`, template: '{"title": "{{ALERT_TITLE}}"}' }));
    await here.get("/channels");
    const sent = await here.post(`/channels/${id}/test`);
    expect(sent.text).toContain("Response: 200");
    expect(sent.text).toMatch(/class="box good" role="status"/);
    expect(hook.json()["title"]).toMatch(/^Test message for alert channel \d+: nothing has happened$/);
    expect(activeParts(sent.text)).toEqual([]);
    await using refusing = await receiver((response) => response.writeHead(410).end(`gone ${evil}`));
    const bad = await create(webhook({ url: refusing.url }));
    const refused = await here.post(`/channels/${bad}/test`);
    expect(refused.text).toMatch(/class="box bad"[\s\S]*Response: 410/);
    expect(refused.text).not.toContain("gone");
    expect(activeParts(refused.text)).toEqual([]);
  });

  it("delete a channel after they asked once more", async () => {
    const id = await create(webhook());
    expect((await here.get("/channels")).text).toContain(`action="/channels/${id}/delete"`);
    expect((await here.post(`/channels/${id}/delete`)).location).toBe("/channels?done=deleted");
    expect((await plane.call("GET", `/v1/alert-channels/${id}`)).status).toBe(404);
    expect((await here.post(`/channels/${id}/delete`)).status).toBe(404);
  });

  it("are read by everybody of the account, and change for nobody below READ_WRITE", async () => {
    const id = await create(webhook());
    const reader = await keyHolder(plane, await plane.keyFor("READ_ONLY"));
    const { text } = await reader.get("/channels");
    expect([text.includes("Chat"), text.includes("/test"), text.includes("/channels/new")]).toEqual([true, false, false]);
    for (const path of ["/channels/new?type=EMAIL", `/channels/${id}`]) expect((await reader.get(path)).status).toBe(403);
    const before = [JSON.stringify(await all()), hook.received.length];
    await reader.get("/channels");
    for (const path of ["/channels", `/channels/${id}`, `/channels/${id}/test`, `/channels/${id}/delete`]) {
      expect([path, (await reader.post(path, { type: "EMAIL", ...told, "config.address": "a@example.com" })).status]).toEqual([path, 403]);
    }
    expect([JSON.stringify(await all()), hook.received.length]).toEqual(before);
  });

  it("of another account are not there", async () => {
    const id = await create(webhook());
    const other = await stranger(plane);
    expect((await other.get("/channels")).text).not.toContain("Chat");
    for (const path of [`/channels/${id}`, "/channels/x", "/channels/99999999999999999999"]) {
      expect([path, (await other.get(path)).status]).toEqual([path, 404]);
    }
    await other.get("/channels");
    for (const path of [`/channels/${id}`, `/channels/${id}/test`, `/channels/${id}/delete`]) {
      expect([path, (await other.post(path, fields)).status]).toEqual([path, 404]);
    }
    expect((await read(id)).config.name).toBe("Chat");
  });
});
