/** Every English text of the first steps of an account, on the list of checks. */
export const firstStepTexts = {
  title: "First steps",
  done: "Done",
  toDo: "To do",
  dismiss: "Dismiss",
  steps: {
    location: "Connect an agent",
    check: "Create a check",
    channel: "Test an alert channel",
    page: "Create a status page or a dashboard",
  },
  hints: {
    location: "Create a location and start an agent with its key. Agents run your checks.",
    check: "A check requests an address, a host or a script on a schedule and compares the answer with your assertions.",
    channel: "Add a channel, such as e-mail or a webhook, and send a test message to it.",
    page: "Show others how your checks are doing.",
  },
} as const;
