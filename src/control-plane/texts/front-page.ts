/** Every English text of what answers at `/`. */
export const frontPageTexts = {
  lead: (version: string) =>
    `The Outpost control plane schedules checks, hands them to the agents in your networks and stores their results. Version ${version}.`,
  signIn: "Sign in",
  aboutSignIn: "with an account, or with an API key",
  guide: "Guide",
  aboutGuide: "first steps, checks, alerts, operations",
  reference: "API reference",
  aboutReference: "all operations, with examples",
  document: "OpenAPI document",
  aboutDocument: "the same, machine-readable",
  health: "Health",
  aboutHealth: "state of this control plane",
} as const;
