import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CheckAlertType } from "../../../src/contract/check-alerts.ts";
import type { AlertFacts } from "../../../src/domain/alerting/alert-facts.ts";
import { messageOf } from "../../../src/domain/alerting/digest-message.ts";
import { emailText } from "../../../src/domain/alerting/email-text.ts";
import { type LocationNotice, noticeMessage } from "../../../src/domain/alerting/notice-message.ts";
import { slackBody } from "../../../src/domain/alerting/slack-body.ts";
import { nastyText } from "../../support/nasty-text.ts";
import { sampleAlert, sampleMessage } from "../../support/sample-alert.ts";

const alertTypes = CheckAlertType.options.filter((type): type is AlertFacts["alertType"] => type !== "NO_ALERT");
const controls = /(?!\n)[\p{Cc}\u2028\u2029\u202e]/u;

describe("a message", () => {
  it.each([
    ["ALERT_FAILURE", "Shop has failed", "critical"],
    ["ALERT_FAILURE_REMAIN", "Shop is still failing", "critical"],
    ["ALERT_DEGRADED_FAILURE", "Shop was degraded and has failed", "critical"],
    ["ALERT_FAILURE_DEGRADED", "Shop was failing and is degraded", "warning"],
    ["ALERT_DEGRADED", "Shop is degraded", "warning"],
    ["ALERT_DEGRADED_REMAIN", "Shop is still degraded", "warning"],
    ["ALERT_RECOVERY", "Shop has recovered", "resolved"],
    ["ALERT_DEGRADED_RECOVERY", "Shop has recovered from being degraded", "resolved"],
  ] as const)("of %s says: %s (%s)", (alertType, title, severity) => {
    expect(sampleMessage({ alertType })).toMatchObject({ title, severity, variables: { ALERT_TITLE: title, ALERT_TYPE: alertType } });
  });

  it.each([
    [14, "Shop: the certificate of shop.example expires in 14 days"],
    [1, "Shop: the certificate of shop.example expires in 1 day"],
    [0, "Shop: the certificate of shop.example expires today"],
    [-3, "Shop: the certificate of shop.example has expired"],
  ])("of a certificate with %s days left says so, under a key of its own", (daysRemaining, title) => {
    const message = sampleMessage({ alertType: "ALERT_SSL", resultId: null, certificate: { domain: "shop.example", daysRemaining } });
    expect(message).toMatchObject({ title, variables: { SSL_CHECK_DOMAIN: "shop.example", SSL_DAYS_REMAINING: daysRemaining } });
    expect(message.dedupKey).not.toBe(sampleMessage().dedupKey);
  });

  it("says of a silent agent that nothing is checked, and never that the target failed", () => {
    const { title } = sampleMessage({ agentProblem: "no agent of Hamburg answers" });
    expect(title).toBe("Shop is not being checked: no agent of Hamburg answers");
  });

  it("tells how often an error was seen and since when, once it was seen before", () => {
    const names = (occurrences: number) =>
      sampleMessage({ errorGroup: { occurrences, firstSeenMs: Date.UTC(2026, 10, 1) } }).facts.find(({ name }) => name === "Seen before")
        ?.value;
    expect(names(7)).toBe("7 times since 2026-11-01 00:00:00 UTC");
    expect(names(1)).toBeUndefined();
  });

  it("names the step in which a script failed, and leads to its screenshot", () => {
    const link = "https://outpost.example.com/checks/1/results/2";
    const message = sampleMessage({ failedStep: "open the\nbasket", link, screenshotLink: `${link}#screenshot` });
    expect(message.text).toContain("Step: open the basket\n");
    expect(message.text).toContain(`Screenshot: ${link}#screenshot\n`);
    expect(message.variables).toMatchObject({ FAILED_STEP: "open the\nbasket", SCREENSHOT_LINK: `${link}#screenshot` });
    expect(emailText(message).html).toContain(`<a href="${link}#screenshot">Open</a>`);
    expect(JSON.stringify(slackBody(message))).toContain(`*Screenshot:* ${link}#screenshot`);
    expect(sampleMessage().facts.map(({ name }) => name)).not.toContain("Step");
  });

  it("opens and resolves incidents of one check under one key", () => {
    const keys = alertTypes.filter((type) => type !== "ALERT_SSL").map((alertType) => sampleMessage({ alertType }).dedupKey);
    expect(new Set(keys).size).toBe(1);
  });

  it("has every variable of the contract, each filled or empty", () => {
    expect(Object.keys(sampleMessage().variables)).toEqual(
      `ALERT_TITLE ALERT_TYPE CHECK_NAME CHECK_ID CHECK_TYPE CHECK_DESCRIPTION CHECK_RESULT_ID CHECK_ERROR_MESSAGE FAILED_STEP SCREENSHOT_LINK
       GROUP_NAME IS_REMINDER REMINDER_SEQUENCE REGION RUN_LOCATION RESPONSE_TIME RESULT_LINK STARTED_AT TAGS API_CHECK_RESPONSE_STATUS_CODE
       API_CHECK_RESPONSE_STATUS_TEXT SSL_CHECK_DOMAIN SSL_DAYS_REMAINING`.split(/\s+/),
    );
  });

  it("keeps lines, directions and half characters of names and errors out of titles, facts and subjects", () => {
    fc.assert(
      fc.property(nastyText, nastyText, fc.constantFrom(...alertTypes), (name, error, alertType) => {
        const message = sampleMessage({ alertType, error: `a\r\nBcc: x ${error}`, check: { name: `evil\r\nBcc: y\u202e ${name}` } });
        const { subject, html } = emailText(message);
        for (const text of [message.title, subject, ...message.facts.map(({ value }) => value)]) {
          expect(text).not.toMatch(controls);
          expect(text).not.toContain("\n");
          expect(text.isWellFormed()).toBe(true);
        }
        expect(html).not.toMatch(controls);
      }),
    );
  });

  it("escapes what would be a tag in mail and a mention or a link in Slack", () => {
    const message = sampleMessage({ check: { name: `<img src=x onerror="a()"> <!channel> & 'q'` }, error: "<https://evil.example|here>" });
    const { html } = emailText(message);
    expect(html).not.toContain("<img");
    expect(html).not.toContain("<https");
    expect(html).toContain("&#60;img src=x onerror=&#34;a()&#34;&#62;");
    const slack = JSON.stringify(slackBody(message));
    expect(slack).not.toContain("<!channel>");
    expect(slack).not.toContain("<https://evil");
    expect(slack).toContain("&lt;!channel&gt; &amp;");
  });

  it("stays as short as Slack needs it", () => {
    const { attachments } = slackBody(
      sampleMessage({ check: { tags: Array.from({ length: 500 }, () => "<".repeat(200)) }, error: "&".repeat(5_000) }),
    );
    const texts = (attachments as { blocks: { text: { text: string } }[] }[]).flatMap(({ blocks }) =>
      blocks.map(({ text }) => text.text.length),
    );
    expect(Math.max(...texts)).toBeLessThanOrEqual(3_000);
  });
});

describe("a digest", () => {
  const digestOf = (alerts: readonly AlertFacts[], id: string, notices: readonly LocationNotice[] = []) =>
    messageOf({ alerts, notices }, id)!;
  const silent: LocationNotice = {
    kind: "AGENTS_SILENT",
    sinceMs: Date.UTC(2026, 10, 22, 9),
    atMs: Date.UTC(2026, 10, 22, 9, 10),
    location: { code: "berlin", name: "Berlin" },
    checks: ["shop"],
    checkCount: 1,
  };
  const many = Array.from({ length: 1_000 }, (_, index) =>
    sampleAlert({ alertType: index < 20 ? "ALERT_DEGRADED" : "ALERT_FAILURE", check: { id: `check-${index}`, name: `Check ${index}` } }),
  );

  it("of 1,000 alerts counts all, lists the worst and says how many more there are", () => {
    const { title, text, severity, dedupKey } = digestOf(many, "d1");
    expect(title).toBe("1000 checks: 980 failing, 20 degraded or warned of");
    expect(severity).toBe("critical");
    expect(dedupKey).toBe("outpost-digest-d1");
    expect(text.split("\n")).toHaveLength(52);
    expect(text).toContain("- Check 20 has failed (Frankfurt, expected status 200, got 503)");
    expect(text).toContain("and 950 more");
    expect(text).not.toContain("Check 19 ");
  });

  it("lets its reader respond to the worst of its checks, once each", () => {
    const open = many
      .slice(0, 40)
      .map((alert, index) => ({ ...alert, respondLink: `https://outpost.example.com/alerts/respond/${index}` }));
    const again = { ...open[20]!, respondLink: "https://outpost.example.com/alerts/respond/again" };
    const digest = digestOf([...open, again], "d9");
    const responses = digest.facts.filter(({ label }) => label === "Acknowledge or snooze");
    expect(responses.map(({ name }) => name)).toEqual([20, 21, 22, 23, 24].map((index) => `Respond to Check ${index}`));
    expect(responses[0]).toMatchObject({ value: "https://outpost.example.com/alerts/respond/20", isLink: true });
    expect(emailText(digest).html).toContain('<a href="https://outpost.example.com/alerts/respond/24">Acknowledge or snooze</a>');
    expect(JSON.stringify(slackBody(digest))).toContain("<https://outpost.example.com/alerts/respond/24|Acknowledge or snooze>");
    expect(digestOf(many, "d10").facts.map(({ name }) => name)).toEqual(["First", "Alerts"]);
  });

  it("of one check names it", () => {
    expect(digestOf([sampleAlert(), sampleAlert({ alertType: "ALERT_RECOVERY" })], "d2").title).toBe(
      "Shop (2 alerts): 1 failing, 1 recovered",
    );
  });

  it("of recoveries alone is one", () => {
    const recovery = sampleAlert({ alertType: "ALERT_RECOVERY" });
    expect(digestOf([recovery, recovery], "d3")).toMatchObject({ severity: "resolved", color: "#2e8540" });
  });

  it("lists what is told of locations with the alerts, and says so", () => {
    const slow = sampleAlert({ alertType: "ALERT_DEGRADED" });
    const { title, text, severity, variables } = digestOf([slow, slow], "d4", [silent]);
    expect(title).toBe("Shop (2 alerts): 2 degraded or warned of; 1 notice of locations");
    expect(severity).toBe("critical");
    expect(text.split("\n")[1]).toBe("- Location Berlin is silent: no agent is heard of, 1 check not run there");
    expect(variables).toMatchObject({ ALERT_TITLE: title, ALERT_TYPE: "AGENTS_SILENT", CHECK_NAME: "Shop (2 alerts)" });
    expect(digestOf([], "d5", [silent, { ...silent, kind: "NO_DATA" }]).title).toBe("2 notices of locations");
  });

  it("is none where there is one thing to tell, or nothing", () => {
    expect(digestOf([sampleAlert()], "d6")).toEqual(sampleMessage());
    expect(digestOf([], "d7", [silent])).toEqual(noticeMessage(silent));
    expect(digestOf([], "d8")).toBeUndefined();
  });
});
