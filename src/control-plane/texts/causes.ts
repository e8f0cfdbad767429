import type { Confidence } from "#domain/root-causes/cause.ts";
import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** Every English text of root-cause analyses on pages. What causes say is `domain/root-causes`. */
export const causeTexts = {
  title: "Likely cause",
  confidences: { high: "High confidence", medium: "Medium confidence", low: "Low confidence" } satisfies Readonly<
    Record<Confidence, string>
  >,
  evidence: "Evidence",
  none: "No rule found a cause. Compare the run with the last good one.",
  notYet: "Nobody has looked for the cause yet.",
  pending: "Looking for the cause.",
  refresh: "Refresh",
  failed: "The analysis failed, or what it looks at is no longer stored.",
  ask: "Find the cause",
  askAgain: "Analyze again",
  madeByRules: (at: Html): Html => html`By rules, ${at}.`,
  madeByBoth: (at: Html, model: string): Html => html`By rules and the model ${model}, ${at}.`,
  modelTitle: "What the model adds",
  modelHint: "Written by a model from the evidence it names. Check before you rely on it.",
  modelSilent: (because: string) => `No answer from the model: ${because}`,
  modelNothing: "The model adds nothing.",
  dropped: (count: number) => `${countText(count, "statement")} without evidence left out.`,
  settings: "Analysis settings",
  change: {
    title: "Suggested change",
    hints: {
      rules: "Found by rules. Nothing is applied by itself.",
      model: "A model chose the element; it is on the page of the failed run exactly once. Nothing is applied by itself.",
    },
    label: (file: string, line: number) => `Change of ${file}, line ${line}`,
    accept: "Change the script",
    question: "This changes this line in the script of the check.",
  },

  settingsTitle: "Root-cause analysis",
  settingsLead:
    "Rules look for the cause of a failure in results, maintenance windows and the audit log. Nothing leaves this installation for that.",
  whenLabel: "Analyze failures",
  when: { alerts: "When an alert opens, and on request", asked: "On request only" },
  modelLabel: "Ask the operator's model as well",
  modelChoices: { off: "No", on: "Yes: evidence is sent to its endpoint, without known secrets" },
  agenticLabel: "Let agentic checks ask an agent's model",
  agenticChoices: {
    on: "Yes: pages are sent to its endpoint, without known secrets",
    off: "No: they only repeat steps that passed before",
  },
  noModel: "The operator of this installation has not set up a model.",
  save: "Save",
  done: { saved: "Saved." },
} as const;
