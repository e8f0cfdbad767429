import { describe, expect, it } from "vitest";
import { readControlPlaneConfig } from "../../../../src/control-plane/config.ts";

const channels = (env: Readonly<Record<string, string>>) => readControlPlaneConfig(env).channels;

describe("the settings of channels", () => {
  it("without any tell nobody by mail, text or call, and allow what an installation needs", () => {
    expect(channels({})).toMatchObject({
      smtp: null,
      twilio: { account: null },
      slackApp: { botToken: null },
      egress: { mode: "public-only", allowCidrs: [] },
      budget: { perMinute: 10, perHour: 100 },
    });
  });

  it.each([
    ["smtp://mail.example", {}, { host: "mail.example", port: 25, tls: "offered", auth: null, from: "outpost@mail.example" }],
    ["smtps://mail.example", {}, { port: 465, tls: "implicit" }],
    ["smtps://mail.example", { SMTP_TLS: "required" }, { tls: "implicit", verifiesCertificate: true }],
    ["smtps://mail.example", { SMTP_TLS: "unverified" }, { tls: "implicit", verifiesCertificate: false }],
    ["smtp://[fd00::25]:2525", {}, { host: "fd00::25", port: 2525 }],
    ["smtp://ada:p%40ss@mail.example", {}, { port: 587, tls: "starttls", auth: { user: "ada" } }],
    ["smtp://ada:p@mail.example", { SMTP_TLS: "off" }, { tls: "off" }],
    ["smtp://mail.example", { SMTP_TLS: "required" }, { tls: "starttls", verifiesCertificate: true }],
    [
      "smtp://mail.example",
      { SMTP_TLS: "unverified", SMTP_FROM: "Outpost <a@b.example>" },
      { tls: "offered", verifiesCertificate: false, from: "Outpost <a@b.example>" },
    ],
  ])("%s with %o is a mail server", (url, env, expected) => {
    expect(channels({ SMTP_URL: url, ...env }).smtp).toMatchObject(expected);
  });

  it("decode the password of a mail server", () => {
    expect(channels({ SMTP_URL: "smtp://ada:p%40ss%2Fword@mail.example" }).smtp?.auth?.password.reveal()).toBe("p@ss/word");
  });

  it.each([
    [{ SMTP_URL: "http://ada:hidden@mail.example" }, "SMTP_URL: must be smtp://host:port"],
    [{ SMTP_URL: "smtp://ada:%zz@mail.example" }, "SMTP_URL: must be smtp://host:port"],
    [{ SMTP_URL: "smtp://mail.example?tls=off" }, "SMTP_URL: must be smtp://host:port"],
    [{ SMTP_FROM: "nobody" }, "SMTP_FROM: must be an address"],
    [{ SMTP_FROM: "a@b.example\r\nBcc: c@d.example" }, "SMTP_FROM: must be an address"],
    [{ SMTP_TLS: "yes" }, "SMTP_TLS: must be auto, required, unverified or off"],
    [{ SMTP_TLS: "off", SMTP_URL: "SMTPS://ada:hidden@mail.example" }, "SMTP_TLS: is off, which is for smtp:// servers"],
    [{ TWILIO_ACCOUNT_SID: "AC0123456789" }, "TWILIO_AUTH_TOKEN: is required where another of Twilio's is set"],
    [{ TWILIO_AUTH_TOKEN: "hidden-token", TWILIO_FROM: "+15550100" }, "TWILIO_ACCOUNT_SID: is required where another of Twilio's is set"],
    [{ TWILIO_FROM: "not a number at all" }, "TWILIO_FROM: must be a number"],
    [{ SLACK_BOT_TOKEN: "hidden" }, "SLACK_BOT_TOKEN: must be 8 to 512 characters"],
    [{ WEBHOOK_EGRESS: "none" }, "WEBHOOK_EGRESS: must be public-only, or networks and addresses"],
    [{ ALERTS_PER_MINUTE: "0" }, "ALERTS_PER_MINUTE: must be a whole number from 1 to 10000"],
    [{ OPSGENIE_API_URL: "ftp://x" }, "OPSGENIE_API_URL: must be an http or https URL"],
  ])("refuse %o by name, and tell no value of a secret", (env, problem) => {
    expect(() => channels(env as unknown as Record<string, string>)).toThrow(problem);
    expect(() => channels(env as unknown as Record<string, string>)).not.toThrow(/hidden/);
  });
});
