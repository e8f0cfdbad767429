import { type AlertMessage, alertMessage } from "./alert-message.ts";

/** What a channel is told to try it; it opens no incident that would stay, for it says that all is well, in its own words where people read it. */
export function sampleMessage(channelId: number, link: string, nowMs: number): AlertMessage {
  const title = `Test message for alert channel ${channelId}: nothing has happened`;
  const message = alertMessage({
    alertId: "00000000-0000-4000-8000-000000000000",
    alertType: "ALERT_RECOVERY",
    check: {
      id: "00000000-0000-4000-8000-000000000000",
      name: `Test of alert channel ${channelId}`,
      type: "API",
      description: "Nothing has happened. Somebody is testing this channel.",
      tags: ["sample"],
    },
    groupName: null,
    location: { code: "sample", name: "Test location" },
    resultId: "00000000-0000-4000-8000-000000000000",
    error: null,
    failedStep: null,
    screenshotLink: null,
    respondLink: null,
    responseTimeMs: 123,
    status: { code: 200, text: "OK" },
    startedAtMs: nowMs,
    link,
    reminder: 0,
    certificate: null,
    errorGroup: null,
    agentProblem: null,
  });
  const text = [title, ...message.text.split("\n").slice(1)].join("\n");
  return { ...message, title, text, variables: { ...message.variables, ALERT_TITLE: title } };
}
