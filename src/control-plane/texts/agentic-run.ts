import { countText } from "../view/units.ts";

/** English texts of what a run of an agentic check did and saw. */
export const agenticRunTexts = {
  report: "Report",
  modes: {
    model: "Led by the model",
    replay: "Replayed the steps of an earlier run, without the model",
    replay_then_model: "Replayed the steps of an earlier run until one did not fit, then led by the model",
  },
  errors: "Errors",
  assertions: {
    title: "Assertions",
    label: "Assertions with what was seen",
    columns: ["Outcome", "Condition", "Expected", "Seen in this run"],
    passed: "passed",
    failed: "failed",
    rule: "An assertion counts as passed only if the words under “Seen in this run” were on a page or in an answer of this run.",
  },
  suggestions: {
    title: "Suggestions",
    hint: "Written by the model. Nothing of it is applied by itself.",
    categories: { credentials: "Credentials", endpoint: "Endpoint", configuration: "Configuration" },
    replacement: "Prompt as suggested",
    secrets: (names: string) => `Variables it would need: ${names}`,
    accept: "Use this prompt",
    question: "This replaces the prompt of the check. The steps that are known of it are forgotten, and the next run asks the model.",
  },
  steps: {
    title: "Steps",
    label: "Steps in order of time",
    columns: ["Time", "Step", "Asked for", "Answer"],
    message: "Model",
    answer: "Show the answer",
    counted: (count: number) => countText(count, "step"),
  },
  screenshots: "Screenshots",
  screenshot: (name: string) => `Screenshot ${name}`,
  prompt: "Prompt",
  log: { title: "Run log", label: "Log of the run", columns: ["Time", "Level", "Message"] },
  facts: {
    title: "Ran on",
    runtime: "Runtime",
    browser: "Browser",
    kept: "Sandbox",
  },
} as const;
