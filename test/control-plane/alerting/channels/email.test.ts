import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emailSender } from "../../../../src/control-plane/alerting/channels/email.ts";
import type { MailLimits, SmtpSettings } from "../../../../src/control-plane/mail/deliver-mail.ts";
import { createEgress } from "../../../../src/control-plane/outgoing/egress.ts";
import { Secret } from "../../../../src/daemon/secret.ts";
import { makeCertificates } from "../../../support/certificates.ts";
import { freePort } from "../../../support/free-ports.ts";
import { rawServer } from "../../../support/http-servers/raw-server.ts";
import { silentPort } from "../../../support/http-servers/silent-port.ts";
import { nastyText } from "../../../support/nasty-text.ts";
import { sampleMessage } from "../../../support/sample-alert.ts";
import { mailServer } from "./mail-server.ts";
import { neverAborted } from "./receiver.ts";

const smtp = (port: number, changes: Partial<SmtpSettings> = {}): SmtpSettings => ({
  host: "127.0.0.1",
  port,
  tls: "offered",
  verifiesCertificate: true,
  auth: null,
  from: "Outpost <alerts@outpost.example>",
  proxy: null,
  ...changes,
});
const unhurried: MailLimits = { connectMs: 60_000, idleMs: 60_000, wholeMs: 60_000 };
const sender = (settings: SmtpSettings, limits: Partial<MailLimits> = {}) =>
  emailSender({ smtp: settings, egress: createEgress({ mode: "default", allowCidrs: [] }), limits: { ...unhurried, ...limits } });
const send = (settings: SmtpSettings, message = sampleMessage(), limits: Partial<MailLimits> = {}, deliveryId = "delivery-1") =>
  sender(settings, limits).send({ address: "ada@example.com" }, message, deliveryId, neverAborted);
const noAnswer = { ok: false, isRetryable: true, isReceiverDown: true };
const rejection = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

describe("a mail", () => {
  it("arrives as text and as HTML, from the installation's address, and says that no person wrote it", async () => {
    await using server = await mailServer();
    const outcome = await send(smtp(server.port));
    expect(outcome).toMatchObject({ ok: true, status: expect.stringMatching(/^250 /) });
    const [mail] = server.mails;
    expect(mail).toMatchObject({ from: "alerts@outpost.example", to: ["ada@example.com"] });
    expect(mail?.headers).toMatchObject({
      from: "Outpost <alerts@outpost.example>",
      subject: "[Outpost] Shop has failed",
      "auto-submitted": "auto-generated",
      "message-id": "<delivery-1@outpost.example>",
    });
    expect(mail?.source).toContain("Content-Type: text/plain");
    expect(mail?.source).toContain("Content-Type: text/html");
    expect(mail?.source).toContain("expected status 200, got 503");
  });

  it("hangs together with the others of its check, and with none of another", async () => {
    await using server = await mailServer();
    const other = sampleMessage({ check: { id: "other-check" } });
    for (const [index, message] of [sampleMessage(), sampleMessage({ alertType: "ALERT_RECOVERY" }), other].entries())
      await send(smtp(server.port), message, {}, `delivery-${index}`);
    const [first, second, third] = server.mails.map(({ headers }) => headers);
    expect(first?.["references"]).toBe(second?.["references"]);
    expect(first?.["in-reply-to"]).toBe(first?.["references"]);
    expect(first?.["message-id"]).not.toBe(second?.["message-id"]);
    expect(third?.["references"]).not.toBe(first?.["references"]);
  });

  it("has the same Message-ID when it is repeated", async () => {
    await using server = await mailServer();
    await send(smtp(server.port));
    await send(smtp(server.port));
    expect(new Set(server.mails.map(({ headers }) => headers["message-id"])).size).toBe(1);
  });

  it("gets no header and no recipient from names, errors and tags", async () => {
    await using server = await mailServer();
    await send(smtp(server.port));
    const names = Object.keys(server.mails[0]?.headers ?? {});
    await fc.assert(
      fc.asyncProperty(nastyText, async (text) => {
        const evil = `x\r\nBcc: eve@example.net\r\n\r\n<script>${text}`;
        const message = sampleMessage({ check: { name: evil, tags: [evil] }, error: evil, location: { code: evil, name: evil } });
        expect(await send(smtp(server.port), message)).toMatchObject({ ok: true });
        const mail = server.mails.at(-1);
        expect(mail?.to).toEqual(["ada@example.com"]);
        expect(Object.keys(mail?.headers ?? {})).toEqual(names);
      }),
      { numRuns: 25 },
    );
  });
});

describe("a mail server", () => {
  it.each([
    [550, "5.1.1 no such user", false],
    [552, "5.2.2 mailbox full", false],
    [451, "4.7.1 greylisted, come again", true],
    [450, "4.2.0 mailbox busy", true],
  ])("that answers %s to the recipient is %s", async (code, message, isRetryable) => {
    await using server = await mailServer({ onRcptTo: (_address, _session, callback) => callback(rejection(code, message)) });
    const outcome = await send(smtp(server.port));
    expect(outcome).toMatchObject({ ok: false, isRetryable, isReceiverDown: false, status: `${code} ${message}` });
    expect(outcome).toMatchObject(isRetryable ? { retryAfterMs: 120_000 } : { ok: false });
  });

  it("that refuses the content is not asked again", async () => {
    await using server = await mailServer({
      onData: (stream, _session, callback) => stream.resume().on("end", () => callback(rejection(554, "5.7.1 looks like spam"))),
    });
    expect(await send(smtp(server.port))).toMatchObject({ ok: false, isRetryable: false, status: "554 5.7.1 looks like spam" });
  });

  it("that closes with 421 is down", async () => {
    await using server = await rawServer((socket) => socket.end("421 4.3.2 shutting down\r\n"));
    expect(await send(smtp(server.port))).toMatchObject({ ok: false, isRetryable: true });
  });

  it("that nobody runs is down", async () => {
    const gone = await freePort();
    const outcome = await send(smtp(gone));
    expect(outcome).toMatchObject(noAnswer);
    expect(outcome.status).toContain("ECONNREFUSED");
  });

  it("that never takes the connection is given up", async () => {
    await using silent = await silentPort("127.0.0.1");
    expect(await send(smtp(silent.port), sampleMessage(), { connectMs: 100 })).toMatchObject(noAnswer);
  });

  it("that says nothing is given up", async () => {
    await using server = await rawServer(() => undefined);
    expect(await send(smtp(server.port), sampleMessage(), { idleMs: 100 })).toMatchObject(noAnswer);
  });

  it("that drips one letter after the other is given up when the whole time is over", async () => {
    await using server = await rawServer((socket) => {
      const drip = setInterval(() => socket.write("2"), 10);
      socket.on("close", () => clearInterval(drip));
    });
    const outcome = await send(smtp(server.port), sampleMessage(), { wholeMs: 200 });
    expect(outcome).toMatchObject({ ...noAnswer, status: "the mail took longer than 200 ms" });
  });

  it("that resets the connection is down", async () => {
    await using server = await rawServer((socket) => {
      socket.write("220 mail.example ESMTP\r\n");
      socket.once("data", () => socket.resetAndDestroy());
    });
    expect(await send(smtp(server.port))).toMatchObject(noAnswer);
  });

  it("is left at once when the sender is told to stop", async () => {
    await using server = await rawServer(() => undefined);
    const stop = new AbortController();
    const mail = sender(smtp(server.port)).send({ address: "ada@example.com" }, sampleMessage(), "d", stop.signal);
    stop.abort(new Error("shut down"));
    await expect(mail).rejects.toThrow("shut down");
  });

  it("at a metadata address is not asked", async () => {
    expect(await send(smtp(25, { host: "169.254.169.254" }))).toMatchObject({ ok: false, isRetryable: false });
  });
});

describe("TLS with a mail server", () => {
  it("is used where it is offered, and its certificate verified unless told otherwise", async () => {
    using certificates = makeCertificates();
    await using server = await mailServer(certificates.pair("selfSigned"));
    const settings = (changes: Partial<SmtpSettings>) => smtp(server.port, { host: "localhost", ...changes });
    const refused = await send(settings({}));
    expect(refused).toMatchObject({ ok: false, isRetryable: true });
    expect(refused.status).toMatch(/self.signed/i);
    expect(await send(settings({ verifiesCertificate: false }))).toMatchObject({ ok: true });
    expect(await send(settings({ tls: "off" }))).toMatchObject({ ok: true });
    expect(server.mails.map(({ isEncrypted }) => isEncrypted)).toEqual([true, false]);
  });

  it("is used from the first byte with smtps", async () => {
    using certificates = makeCertificates();
    await using server = await mailServer({ ...certificates.pair("selfSigned"), secure: true });
    expect(await send(smtp(server.port, { tls: "implicit", verifiesCertificate: false }))).toMatchObject({ ok: true });
    expect(server.mails).toMatchObject([{ isEncrypted: true }]);
  });

  it("is not done without where it is required", async () => {
    await using server = await mailServer();
    expect(await send(smtp(server.port, { tls: "starttls" }))).toMatchObject({ ok: false });
    expect(server.mails).toEqual([]);
  });
});

describe("a password", () => {
  const auth = { user: "outpost", password: new Secret("smtp-password") };
  const onAuth: Parameters<typeof mailServer>[0] = {
    authMethods: ["PLAIN"],
    onAuth: ({ username, password }, _session, callback) => {
      const isRight = username === "outpost" && password === "smtp-password";
      return isRight ? callback(null, { user: username }) : callback(rejection(535, `5.7.8 not ${password}`));
    },
  };

  it("opens the server over TLS", async () => {
    using certificates = makeCertificates();
    await using server = await mailServer({ ...certificates.pair("selfSigned"), ...onAuth });
    expect(await send(smtp(server.port, { auth, tls: "starttls", verifiesCertificate: false }))).toMatchObject({ ok: true });
    expect(server.mails).toMatchObject([{ user: "outpost", isEncrypted: true }]);
  });

  it("that is wrong is not tried again, and stays out of the log", async () => {
    await using server = await mailServer({ ...onAuth, allowInsecureAuth: true });
    const wrong = { user: "outpost", password: new Secret("wrong-password") };
    const outcome = await send(smtp(server.port, { auth: wrong, tls: "off" }));
    expect(outcome).toMatchObject({ ok: false, isRetryable: false });
    expect(outcome.status).not.toContain("wrong-password");
  });
});
