import { createHmac } from "node:crypto";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { WebhookConfig } from "../../../../src/contract/alert-channel-configs.ts";
import { webhookSender } from "../../../../src/control-plane/alerting/channels/webhook.ts";
import { createEgress } from "../../../../src/control-plane/outgoing/egress.ts";
import { createChannelHttp } from "../../../../src/control-plane/outgoing/http-client.ts";
import { messageOf } from "../../../../src/domain/alerting/digest-message.ts";
import { slackBody } from "../../../../src/domain/alerting/slack-body.ts";
import { presetBody, webhookPresets } from "../../../../src/domain/alerting/webhook-presets.ts";
import { nastyText } from "../../../support/nasty-text.ts";
import { type AlertChanges, sampleAlert, sampleMessage } from "../../../support/sample-alert.ts";
import { neverAborted, receiver } from "./receiver.ts";

const http = createChannelHttp({ egress: createEgress({ mode: "default", allowCidrs: [] }), nowMs: Date.now });
afterAll(() => http.close());
const sender = webhookSender({ http, nowMs: () => Date.UTC(2026, 10, 22), random: () => 0.5, uuid: () => "a-uuid" });
const config = (changes: object) => WebhookConfig.parse({ name: "Chat", url: "http://127.0.0.1:9/", ...changes });
const send = (changes: object, alert: AlertChanges = {}) => sender.send(config(changes), sampleMessage(alert), "delivery-1", neverAborted);

describe("a webhook", () => {
  it("sends its template, its headers and its parameters", async () => {
    await using service = await receiver();
    const outcome = await send(
      {
        url: `${service.url}/hook/{{CHECK_NAME}}?type={{ALERT_TYPE}}`,
        method: "PUT",
        template: '{"text": "{{ALERT_TITLE}} ({{#eq ALERT_TYPE "ALERT_FAILURE"}}down{{/eq}})", "tags": {{TAGS}}}',
        headers: [
          { key: "X-Team", value: "shop" },
          { key: "Content-Length", value: "1" },
        ],
        queryParameters: [{ key: "chat id", value: "a&b" }],
      },
      { check: { name: "Shop & more" } },
    );
    expect(outcome).toEqual({ ok: true, status: "200" });
    const [request] = service.received;
    expect(request).toMatchObject({ method: "PUT", url: "/hook/Shop%20%26%20more?type=ALERT_FAILURE&chat+id=a%26b" });
    expect(service.json()).toEqual({ text: "Shop & more has failed (down)", tags: ["shop", "prod"] });
    expect(request?.headers).toMatchObject({
      "x-team": "shop",
      "content-type": "application/json",
      "x-service-delivery-id": "delivery-1",
      "x-service-timestamp": String(Date.UTC(2026, 10, 22, 9, 17, 43)),
    });
    expect(request?.headers).not.toHaveProperty("x-service-signature");
  });

  it("is signed with its secret, so that who has the same can verify it", async () => {
    await using service = await receiver();
    await send({ url: service.url, template: "{{ALERT_TITLE}} – ä", webhookSecret: "signing-secret" });
    const [request] = service.received;
    const expected = createHmac("sha256", "signing-secret")
      .update(request?.body ?? "", "utf8")
      .digest("hex");
    expect(request?.headers["x-service-signature"]).toBe(expected);
    expect(request?.headers["content-type"]).toBe("text/plain; charset=utf-8");
  });

  it("without a body is signed over nothing", async () => {
    await using service = await receiver();
    await send({ url: service.url, method: "GET", template: "not sent", webhookSecret: "signing-secret" });
    expect(service.received).toMatchObject([{ method: "GET", body: "" }]);
    expect(service.received[0]?.headers["x-service-signature"]).toBe(createHmac("sha256", "signing-secret").update("").digest("hex"));
  });

  it("sends the user and the password of its address, unless its headers say otherwise, and tells the log neither", async () => {
    await using service = await receiver((response, request) => response.end(`hello ${request.headers.authorization}`));
    const url = service.url.replace("//", "//ada:p%40ssword@");
    expect(await send({ url })).toEqual({ ok: true, status: "200" });
    expect(service.received[0]?.headers.authorization).toBe(`Basic ${Buffer.from("ada:p@ssword").toString("base64")}`);
    await send({ url, headers: [{ key: "Authorization", value: "Bearer own-token" }] });
    expect(service.received[1]?.headers.authorization).toBe("Bearer own-token");
  });

  it("keeps the content type of its user, and encodes for it", async () => {
    await using service = await receiver();
    const form = { headers: [{ key: "content-type", value: "application/x-www-form-urlencoded" }] };
    await send({ url: service.url, ...form, template: "text={{ALERT_TITLE}}" }, { check: { name: "a&b=c" } });
    expect(service.received[0]?.body).toBe("text=a%26b%3Dc%20has%20failed");
  });

  it("without a template sends every variable as JSON", async () => {
    await using service = await receiver();
    await send({ url: service.url });
    expect(service.json()).toMatchObject({
      ALERT_TITLE: "Shop has failed",
      RESPONSE_TIME: 412,
      TAGS: ["shop", "prod"],
      SEVERITY: "critical",
    });
  });

  it("says what nothing filled, and sends the rest", async () => {
    await using service = await receiver();
    expect(await send({ url: service.url, template: "{{ALERT_TITLE}} {{NOPE}} {{#if X}}" })).toEqual({
      ok: true,
      status: "200 (sent as written, because nothing fills it: {{#if X}} {{NOPE}})",
    });
    expect(service.received[0]?.body).toBe("Shop has failed {{NOPE}} {{#if X}}");
  });

  it.each([404, 410, 500])("is repeated on %s", async (code) => {
    await using service = await receiver((response) => response.writeHead(code).end());
    expect(await send({ url: service.url })).toMatchObject({ ok: false, isRetryable: true });
  });

  it.each([
    ["an address that is none once it is filled in", { url: "{{CHECK_NAME}}" }, "not sent: url must be an http or https address"],
    ["an address of another kind", { url: "{{{CHECK_NAME}}}" }, "not sent: url must be", { check: { name: "file:///etc/passwd" } }],
    ["a header with a line break", { headers: [{ key: "x-a", value: "1\r\nx-b: 2" }] }, "not sent: the value of the header x-a"],
    ["a header without a name", { headers: [{ key: "x a", value: "1" }] }, "not sent: a name in headers"],
  ])("with %s is not sent, for good", async (_what, changes, status, alert: AlertChanges = {}) => {
    const outcome = await send(changes, alert);
    expect(outcome).toMatchObject({ ok: false, isRetryable: false });
    expect(outcome.status).toContain(status);
  });

  it("whose template grows without end is not sent", async () => {
    const outcome = await send({ template: "{{CHECK_DESCRIPTION}}".repeat(4_000) }, { check: { description: "x".repeat(1_000) } });
    expect(outcome).toMatchObject({ ok: false, isRetryable: false });
    expect(outcome.status).toContain("1 MB");
  });

  it("leaves no secret of its configuration in the log, whatever the receiver says", async () => {
    await using service = await receiver((response, request) => {
      response.writeHead(500).end(JSON.stringify({ url: request.url, headers: request.headers }));
    });
    const { status } = await send({
      url: `${service.url}/services/T0AAAA/path-secret?key=query-secret`,
      template: "x",
      webhookSecret: "signing-secret",
      headers: [
        { key: "authorization", value: "Bearer header-secret", locked: true },
        { key: "x-api-key", value: "open-header-secret" },
      ],
      queryParameters: [{ key: "token", value: "parameter-secret", locked: true }],
    });
    for (const secret of ["path-secret", "query-secret", "header-secret", "signing-secret", "parameter-secret", "T0AAAA"])
      expect(status).not.toContain(secret);
  });

  it("lets no name out of a text in its body, nor into its headers", async () => {
    await using service = await receiver();
    await fc.assert(
      fc.asyncProperty(nastyText, nastyText, async (name, error) => {
        const outcome = await send(
          { url: `${service.url}/{{CHECK_NAME}}`, template: '{"a":"{{CHECK_NAME}}","b":"{{{CHECK_ERROR_MESSAGE}}}"}' },
          { check: { name }, error },
        );
        expect(outcome.ok).toBe(true);
        expect(service.json()).toEqual({ a: name.toWellFormed(), b: error.toWellFormed() });
      }),
      { numRuns: 60 },
    );
  });
});

describe("the preset of", () => {
  const digest = messageOf({ alerts: [sampleAlert(), sampleAlert()], notices: [] }, "d")!;
  const alerts = [sampleMessage(), sampleMessage({ alertType: "ALERT_RECOVERY" }), digest];
  it.each(webhookPresets)("%s is JSON for alerts, recoveries and digests, and no name gets out of its text", (preset) => {
    for (const message of alerts) expect(JSON.stringify(presetBody(preset, message))).toContain("Shop");
    fc.assert(
      fc.property(nastyText, (name) => {
        const text = JSON.stringify(presetBody(preset, sampleMessage({ check: { name: `x${name}` } })));
        expect(text).not.toMatch(/\\[rn]Bcc/);
        expect(JSON.parse(text)).toBeDefined();
      }),
    );
  });

  it.each([
    ["WEBHOOK_MSTEAMS", "attachments"],
    ["Teams", "attachments"],
    ["WEBHOOK_DISCORD", "embeds"],
    ["WEBHOOK_TELEGRAM", "parse_mode"],
    ["WEBHOOK_INCIDENTIO", "deduplication_key"],
    ["incident.io", "deduplication_key"],
    ["WEBHOOK_ROOTLY", "external_id"],
    ["WEBHOOK_SPIKESH", "body"],
    ["WEBHOOK_SPLUNK", "entity_id"],
    ["WEBHOOK_GITLAB_ALERT", "fingerprint"],
    ["WEBHOOK_FIREHYDRANT", "idempotency_key"],
    ["WEBHOOK_ILERT", "alertKey"],
    ["something of its own", "ALERT_TITLE"],
    [null, "ALERT_TITLE"],
  ])("%s has %s", (webhookType, member) => {
    expect(presetBody(webhookType, sampleMessage())).toHaveProperty(member);
  });

  it.each([
    ["incidentio", { status: "firing" }, { status: "resolved" }],
    ["rootly", { status: "open" }, { status: "resolved" }],
    ["spike", { severity: "sev1" }, { status: "resolve" }],
    ["splunk", { message_type: "CRITICAL" }, { message_type: "RECOVERY" }],
    ["gitlab", { start_time: "2026-11-22T09:17:43.000Z" }, { end_time: "2026-11-22T09:17:43.000Z" }],
    ["firehydrant", { status: "OPEN" }, { status: "CLOSED" }],
    ["ilert", { eventType: "ALERT" }, { eventType: "RESOLVE" }],
  ])("%s opens with %o and ends with %o, under the same key", (preset, open, over) => {
    const [failed, recovered] = [sampleMessage(), sampleMessage({ alertType: "ALERT_RECOVERY" })].map((message) =>
      presetBody(preset, message),
    );
    expect(failed).toMatchObject(open);
    expect(recovered).toMatchObject(over);
    const keys = ["deduplication_key", "external_id", "entity_id", "fingerprint", "idempotency_key", "alertKey"];
    const keyOf = (body: unknown) =>
      Object.entries(body as object).filter(([name]) => keys.includes(name) || (preset === "spike" && name === "title"));
    expect(keyOf(failed)).toHaveLength(1);
    expect(keyOf(failed)).toEqual(keyOf(recovered));
  });

  it.each(["discord", "telegram", "slack"])("%s cuts no character in two, wherever it cuts", (preset) => {
    const faces = (shift: number) => `${"x".repeat(shift)}${"😀".repeat(2_000)}`;
    for (const shift of [0, 1]) {
      const message = { ...sampleMessage(), facts: [{ name: "Alerts", value: faces(shift) }] };
      const body = preset === "slack" ? slackBody(message) : presetBody(preset, message);
      expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/);
    }
  });

  it("discord mentions nobody", () => {
    expect(presetBody("discord", sampleMessage({ check: { name: "@everyone" } }))).toMatchObject({ allowed_mentions: { parse: [] } });
  });

  it("telegram is HTML in which names are text", () => {
    const { text } = presetBody("telegram", sampleMessage({ check: { name: "<a href='x'>" }, error: "&".repeat(3_000) })) as {
      text: string;
    };
    expect(text).toContain("<b>&#60;a href=&#39;x&#39;&#62; has failed</b>");
    expect(text.length).toBeLessThanOrEqual(4_096);
    expect(text).not.toMatch(/&(?!#\d+;)/);
  });
});
