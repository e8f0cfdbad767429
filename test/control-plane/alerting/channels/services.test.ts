import { afterAll, describe, expect, it } from "vitest";
import { noProxies } from "#daemon/proxy.ts";
import type { AlertChannelType } from "../../../../src/contract/alert-channels.ts";
import type { ChannelSenders, OpenConfig } from "../../../../src/control-plane/alerting/channels/channel-sender.ts";
import { createSenders, type SenderService } from "../../../../src/control-plane/alerting/channels/create-senders.ts";
import { readControlPlaneConfig } from "../../../../src/control-plane/config.ts";
import type { AlertMessage } from "../../../../src/domain/alerting/alert-message.ts";
import { messageOf } from "../../../../src/domain/alerting/digest-message.ts";
import { sampleAlert, sampleMessage } from "../../../support/sample-alert.ts";
import { neverAborted, receiver } from "./receiver.ts";

const opened: SenderService[] = [];
afterAll(async () => void (await Promise.all(opened.map((service) => service.stop(AbortSignal.timeout(5_000))))));

/** The senders of an installation whose services are all at `url`. */
function senders(url: string, env: Readonly<Record<string, string>> = {}): ChannelSenders {
  const addresses = {
    WEBHOOK_EGRESS: "127.0.0.1",
    TWILIO_API_URL: url,
    SLACK_API_URL: `${url}/api/`,
    PAGERDUTY_API_URL: url,
    OPSGENIE_API_URL: url,
    OPSGENIE_EU_API_URL: `${url}/eu`,
  };
  const made = createSenders(readControlPlaneConfig({ ...addresses, ...env }).channels, noProxies, Date.now);
  opened.push(made);
  return made.senders;
}
const twilio = { TWILIO_ACCOUNT_SID: "AC0123456789", TWILIO_AUTH_TOKEN: "twilio-token", TWILIO_FROM: "+4915112345678" };
const failed = sampleMessage();
const recovered = sampleMessage({ alertType: "ALERT_RECOVERY" });

function send<T extends AlertChannelType>(all: ChannelSenders, type: T, config: OpenConfig<T>, message: AlertMessage = failed) {
  return all[type].send(config, message, "delivery-1", neverAborted);
}

describe("Slack", () => {
  it("gets the facts beside a bar in the color of the severity", async () => {
    await using service = await receiver();
    const outcome = await send(senders(service.url), "SLACK", { url: `${service.url}/services/T0/B0/key`, channel: "#ops" });
    expect(outcome).toEqual({ ok: true, status: "200" });
    expect(service.received).toMatchObject([{ method: "POST", url: "/services/T0/B0/key" }]);
    expect(service.json()).toMatchObject({ text: "Shop has failed", channel: "#ops", attachments: [{ color: "#d13212" }] });
    expect(service.received[0]?.body).toContain("*Error:* expected status 200, got 503");
  });

  it("says why it took nothing, without the address of the hook", async () => {
    await using service = await receiver((response, request) => response.writeHead(404).end(`no_service ${request.url}`));
    const outcome = await send(senders(service.url), "SLACK", { url: `${service.url}/services/T0/B0/hook-key` });
    expect(outcome).toMatchObject({ ok: false, isRetryable: false, status: "404" });
  });

  it("is told by an app in every channel", async () => {
    await using service = await receiver((response) =>
      response.end(service.received.length < 3 ? '{"ok":true}' : '{"ok":false,"error":"channel_not_found"}'),
    );
    const all = senders(service.url, { SLACK_BOT_TOKEN: "xoxb-bot-token" });
    expect(await send(all, "SLACK_APP", { slackChannels: ["C1", "C2"] })).toEqual({ ok: true, status: "told C1, C2" });
    expect(service.received[0]).toMatchObject({ url: "/api/chat.postMessage", headers: { authorization: "Bearer xoxb-bot-token" } });
    expect(await send(all, "SLACK_APP", { slackChannels: ["C3"] })).toMatchObject({
      ok: false,
      isRetryable: false,
      status: 'C3: 200 {"ok":false,"error":"channel_not_found"}',
    });
  });

  it("is told by an app in the channels behind one that refuses, too", async () => {
    await using service = await receiver((response) =>
      response.end(service.json()["channel"] === "C1" ? '{"ok":false,"error":"channel_not_found"}' : '{"ok":true}'),
    );
    const outcome = await send(senders(service.url, { SLACK_BOT_TOKEN: "xoxb-bot-token" }), "SLACK_APP", { slackChannels: ["C1", "C2"] });
    const status = 'C1: 200 {"ok":false,"error":"channel_not_found"} (told: C2)';
    expect(outcome).toEqual({ ok: false, isRetryable: false, isReceiverDown: false, status });
  });

  it("is told by an app that asks to come again where it was not told yet, and nowhere twice", async () => {
    await using service = await receiver((response) =>
      response.writeHead(service.received.length === 2 ? 429 : 200, { "retry-after": "60" }).end('{"ok":true}'),
    );
    const all = senders(service.url, { SLACK_BOT_TOKEN: "xoxb-bot-token" });
    const config = { slackChannels: ["C1", "C2", "C3"] };
    expect(await send(all, "SLACK_APP", config)).toMatchObject({ ok: false, isRetryable: true, retryAfterMs: 60_000 });
    expect(await send(all, "SLACK_APP", config)).toEqual({ ok: true, status: "told C1, C2, C3" });
    const channels = service.received.map(({ body }) => (JSON.parse(body) as { channel: string }).channel);
    expect(channels).toEqual(["C1", "C2", "C2", "C3"]);
  });
});

describe.each(["PAGERDUTY", "OPSGENIE"] as const)("a list of many for %s", (type) => {
  const config = {
    PAGERDUTY: { serviceKey: "integration-key" },
    OPSGENIE: { name: "on call", apiKey: "api-key", region: "US", priority: "P1" },
  };
  const alert = (id: string, alertType: "ALERT_FAILURE" | "ALERT_RECOVERY") => sampleAlert({ alertType, check: { id, name: id } });
  const list = messageOf(
    {
      alerts: [alert("a", "ALERT_FAILURE"), alert("a", "ALERT_RECOVERY"), alert("b", "ALERT_RECOVERY"), alert("b", "ALERT_FAILURE")],
      notices: [],
    },
    "list-1",
  )!;

  it("is an incident of its own, and resolves those of checks that recovered", async () => {
    await using service = await receiver((response) => response.writeHead(202).end("{}"));
    await send(senders(service.url), type, config[type] as OpenConfig<typeof type>, list);
    const [opened, resolved] = service.received.map(({ url, body }) => decodeURIComponent(url) + body);
    expect(service.received).toHaveLength(2);
    expect(opened).toMatch(/outpost-digest-list-1/);
    expect(resolved).toMatch(/outpost-check-a.*(close|resolve)|resolve.*outpost-check-a/);
  });

  it("is repeated where one of these requests fails", async () => {
    await using service = await receiver((response) => response.writeHead(service.received.length === 2 ? 500 : 202).end("{}"));
    const outcome = await send(senders(service.url), type, config[type] as OpenConfig<typeof type>, list);
    expect(outcome).toMatchObject({ ok: false, isRetryable: true });
  });
});

describe("Twilio", () => {
  it("sends a text message with the title, the error and the link", async () => {
    await using service = await receiver((response) => response.writeHead(201).end('{"sid":"SM1","status":"queued"}'));
    const outcome = await send(senders(service.url, twilio), "SMS", { name: "Ada", number: "+49 (0) 151-234 567" });
    expect(outcome).toEqual({ ok: true, status: '201 {"sid":"SM1","status":"queued"}' });
    const [request] = service.received;
    expect(request?.url).toBe("/2010-04-01/Accounts/AC0123456789/Messages.json");
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from("AC0123456789:twilio-token").toString("base64")}`);
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      To: "+49151234567",
      From: "+4915112345678",
      Body: "Shop has failed: expected status 200, got 503\nhttps://outpost.example.com/results/b3b1",
    });
  });

  it("lets a messaging service choose the number", async () => {
    await using service = await receiver();
    await send(senders(service.url, { ...twilio, TWILIO_FROM: "MG0123456789" }), "SMS", { name: "Ada", number: "0049151234567" });
    expect(Object.fromEntries(new URLSearchParams(service.received[0]?.body))).toMatchObject({
      To: "+49151234567",
      MessagingServiceSid: "MG0123456789",
    });
  });

  it("calls and says the title, in which names are no tags", async () => {
    await using service = await receiver();
    const message = sampleMessage({ check: { name: "Shop</Say><Dial>+1900</Dial>" } });
    await send(senders(service.url, twilio), "CALL", { name: "Ada", number: "+1 555 0100" }, message);
    expect(service.received[0]?.url).toBe("/2010-04-01/Accounts/AC0123456789/Calls.json");
    const { Twiml = "" } = Object.fromEntries(new URLSearchParams(service.received[0]?.body));
    expect(Twiml.match(/<\/?[A-Za-z]+/g)).toEqual(["<Response", "<Say", "</Say", "<Pause", "<Say", "</Say", "</Response"]);
  });

  it("says what it did not take, without the token", async () => {
    await using service = await receiver((response, request) =>
      response.writeHead(401).end(`{"code":20003,"got":"${request.headers.authorization} twilio-token"}`),
    );
    const outcome = await send(senders(service.url, twilio), "SMS", { name: "Ada", number: "+15550100" });
    expect(outcome).toMatchObject({ ok: false, isRetryable: false, status: '401 {"code":20003,"got":"Basic ******** ********"}' });
  });
});

describe("PagerDuty", () => {
  it("opens an incident and resolves it under the same key", async () => {
    await using service = await receiver((response) => response.writeHead(202).end('{"status":"success"}'));
    const all = senders(service.url);
    await send(all, "PAGERDUTY", { serviceKey: "routing-key" });
    expect(service.received[0]?.url).toBe("/v2/enqueue");
    const opened_ = service.json();
    expect(opened_).toMatchObject({
      routing_key: "routing-key",
      event_action: "trigger",
      payload: { summary: "Shop has failed", severity: "critical", source: "Shop", custom_details: { Location: "Frankfurt" } },
    });
    await send(all, "PAGERDUTY", { serviceKey: "routing-key" }, recovered);
    expect(service.json()).toMatchObject({ event_action: "resolve", dedup_key: opened_["dedup_key"] });
  });

  it("is not asked again with a key that it does not know, which stays out of the log", async () => {
    await using service = await receiver((response) => response.writeHead(400).end('{"errors":["routing-key is invalid"]}'));
    const outcome = await send(senders(service.url), "PAGERDUTY", { serviceKey: "routing-key" });
    expect(outcome).toMatchObject({ ok: false, isRetryable: false, status: '400 {"errors":["******** is invalid"]}' });
  });
});

describe("Opsgenie", () => {
  const config = { name: "on call", apiKey: "genie-key", region: "US", priority: "P2" } as const;

  it("creates an alert and closes it by its alias", async () => {
    await using service = await receiver((response) => response.writeHead(202).end());
    const all = senders(service.url);
    await send(all, "OPSGENIE", config);
    const created = service.json();
    expect(created).toMatchObject({ message: "Shop has failed", priority: "P2", tags: ["shop", "prod"], entity: "Shop" });
    expect(service.received[0]).toMatchObject({ url: "/v2/alerts", headers: { authorization: "GenieKey genie-key" } });
    await send(all, "OPSGENIE", config, recovered);
    expect(service.received[1]?.url).toBe(`/v2/alerts/${String(created["alias"])}/close?identifierType=alias`);
  });

  it("of the European region is another service", async () => {
    await using service = await receiver();
    await send(senders(service.url), "OPSGENIE", { ...config, region: "EU" });
    expect(service.received[0]?.url).toBe("/eu/v2/alerts");
  });
});

describe("an installation", () => {
  it.each([
    ["a Slack app", "SLACK_APP", { slackChannels: ["C1"] }, "SLACK_BOT_TOKEN"],
    ["a Twilio account for texts", "SMS", { name: "Ada", number: "+15550100" }, "TWILIO_ACCOUNT_SID"],
    ["a Twilio account for calls", "CALL", { name: "Ada", number: "+15550100" }, "TWILIO_ACCOUNT_SID"],
    ["a mail server", "EMAIL", { address: "ada@example.com" }, "SMTP_URL"],
  ] as const)("without %s says in the log what it lacks", async (_what, type, config, variable) => {
    const outcome = await send(senders("http://127.0.0.1:9"), type, config as never);
    expect(outcome).toMatchObject({ ok: false, isRetryable: false });
    expect(outcome.status).toContain(variable);
  });

  it("that is public only keeps addresses of users out of its networks, and reaches its own services", async () => {
    await using service = await receiver();
    const all = senders(service.url, { WEBHOOK_EGRESS: "public-only" });
    expect(await send(all, "SLACK", { url: service.url })).toMatchObject({ ok: false, isRetryable: false });
    expect(await send(all, "PAGERDUTY", { serviceKey: "routing-key" })).toMatchObject({ ok: true });
  });
});
