import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../../control-plane-under-test.ts";
import { mailServer } from "./mail-server.ts";
import { receiver } from "./receiver.ts";

let plane: ControlPlaneUnderTest;
let mail: Awaited<ReturnType<typeof mailServer>>;
beforeAll(async () => {
  mail = await mailServer();
  plane = await controlPlaneUnderTest({ SMTP_URL: `smtp://127.0.0.1:${mail.port}`, SMTP_FROM: "Outpost <alerts@outpost.example>" });
});
afterAll(async () => {
  await plane[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});
const create = async (body: object): Promise<number> => (await plane.call("POST", "/v1/alert-channels", { body })).body.id;
const test = (id: number, options: Parameters<ControlPlaneUnderTest["call"]>[2] = {}) =>
  plane.call("POST", `/v1/alert-channels/${id}/test`, options);

describe("the test of a channel", () => {
  it("sends a sample through the real sender, with the secrets that are stored sealed", async () => {
    await using service = await receiver();
    const id = await create({
      type: "WEBHOOK",
      config: {
        name: "chat",
        url: `${service.url}/hooks/hook-key`,
        template: '{"text": "{{ALERT_TITLE}}"}',
        webhookSecret: "signing-secret",
        headers: [{ key: "authorization", value: "Bearer locked-token", locked: true }],
      },
    });
    const { status, body } = await test(id);
    expect(status).toBe(200);
    expect(body).toEqual({ status: "SUCCESS", notificationResult: "200", deliveryId: expect.any(String) });
    const [request] = service.received;
    expect(service.json()).toEqual({ text: `Test message for alert channel ${id}: nothing has happened` });
    expect(request?.headers).toMatchObject({
      authorization: "Bearer locked-token",
      "x-service-delivery-id": body.deliveryId,
      "x-service-signature": createHmac("sha256", "signing-secret")
        .update(request?.body ?? "")
        .digest("hex"),
    });
  });

  it("sends a mail", async () => {
    const id = await create({ type: "EMAIL", config: { address: "ada@example.com" } });
    expect((await test(id)).body).toMatchObject({ status: "SUCCESS", notificationResult: expect.stringMatching(/^250 /) });
    expect(mail.mails).toMatchObject([{ from: "alerts@outpost.example", to: ["ada@example.com"] }]);
  });

  it("says why a service could not be told, and no secret", async () => {
    await using service = await receiver((response, request) => response.writeHead(403).end(`no ${request.url}`));
    const id = await create({ type: "SLACK", config: { url: `${service.url}/services/hook-key` } });
    expect((await test(id)).body).toMatchObject({ status: "FAILURE", notificationResult: "403" });
  });

  it("ends where a webhook points at its own test", async () => {
    const headers = [{ key: "authorization", value: `Bearer ${plane.ownerKey}` }];
    const config = { name: "loop", url: plane.base, headers, template: "{}" };
    const id = await create({ type: "WEBHOOK", config });
    const url = `${plane.base}/v1/alert-channels/${id}/test`;
    await plane.call("PUT", `/v1/alert-channels/${id}`, { body: { type: "WEBHOOK", config: { ...config, url } } });
    const { body } = await test(id);
    expect(body).toMatchObject({ status: "FAILURE", notificationResult: "400" });
  });

  it("keeps to the egress policy", async () => {
    const id = await create({ type: "SLACK", config: { url: "http://169.254.169.254/latest" } });
    const { body } = await test(id);
    expect(body).toMatchObject({ status: "FAILURE", notificationResult: expect.stringContaining("egress policy") });
  });

  it("is for those who may write, of the channel's own account", async () => {
    const id = await create({ type: "EMAIL", config: { address: "ada@example.com" } });
    expect((await test(id, { key: await plane.keyFor("READ_ONLY") })).status).toBe(403);
    expect((await test(987_654)).status).toBe(404);
  });

  it("writes no secret into the log of the process", () => {
    expect(plane.logLines.join("\n")).not.toMatch(/hook-key|signing-secret|locked-token/);
  });
});
