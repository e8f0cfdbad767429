import type { AlertFacts } from "../../src/domain/alerting/alert-facts.ts";
import { type AlertMessage, alertMessage } from "../../src/domain/alerting/alert-message.ts";

export type AlertChanges = Partial<Omit<AlertFacts, "check">> & { readonly check?: Partial<AlertFacts["check"]> };

/** An alert of an API check that answered 503. */
export function sampleAlert({ check, ...changes }: AlertChanges = {}): AlertFacts {
  return {
    alertId: "8d2a6a1e-0c9a-4a39-9d5a-5f0d6f8f4c11",
    alertType: "ALERT_FAILURE",
    check: {
      id: "3f0c1d6e-4b1f-4a57-8a59-0f8f6f1f2a33",
      name: "Shop",
      type: "API",
      description: "the front door",
      tags: ["shop", "prod"],
      ...check,
    },
    groupName: "Web",
    location: { code: "eu-central-1", name: "Frankfurt" },
    resultId: "b3b1a1a0-7c1d-4c3b-9a55-1d1b1f0a7e01",
    error: "expected status 200, got 503",
    failedStep: null,
    screenshotLink: null,
    respondLink: null,
    responseTimeMs: 412,
    status: { code: 503, text: "Service Unavailable" },
    startedAtMs: Date.UTC(2026, 10, 22, 9, 17, 43),
    link: "https://outpost.example.com/results/b3b1",
    reminder: 0,
    certificate: null,
    errorGroup: null,
    agentProblem: null,
    ...changes,
  };
}

export const sampleMessage = (changes: AlertChanges = {}): AlertMessage => alertMessage(sampleAlert(changes));
