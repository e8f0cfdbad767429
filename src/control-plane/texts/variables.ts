import { html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** Every English text of the pages of environment variables. */
export const variableTexts = {
  title: "Variables",
  lead: html`Available to scripts and templates of all checks as <code>{{NAME}}</code> and <code>process.env.NAME</code>. Variables of a group or a check override these.`,
  none: "No variables yet.",
  counted: (count: number) => countText(count, "variable"),
  done: {
    created: "Variable created. New runs use it.",
    changed: "Variable saved. New runs use it.",
    deleted: "Variable deleted.",
  },
  addHeading: "New variable",
  addIt: "Create variable",
  notShown: "Hidden value",
  secretChip: "secret",
  lockedChip: "locked",
  deleteQuestion: (key: string) => `Delete ${key}? Checks that use it will run without it.`,
  name: "Name",
  nameHint: "Letters, digits and underscores.",
  value: "Value",
  keptHint: "A value is stored and not shown. Leave empty to keep it.",
  whoSees: "Visibility",
  locked: "Locked: hidden on this page; those who can edit can read it over the API",
  secret: "Secret: never shown again and masked in results",
} as const;
