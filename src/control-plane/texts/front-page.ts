/** Every English text of what answers at `/`. */
export const frontPageTexts = {
  lead: (version: string) =>
    `This control plane schedules checks, gives them to the agents in your networks and keeps their results. Version ${version}.`,
  signIn: "Sign in",
  aboutSignIn: "members of the account, and API keys",
  reference: "API reference",
  aboutReference: "every operation, with examples",
  document: "OpenAPI document",
  aboutDocument: "the same for machines",
  health: "Health",
  aboutHealth: "whether the store answers",
} as const;
