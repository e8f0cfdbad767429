import { html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** Every English text of the pages of environment variables. */
export const variableTexts = {
  title: "Variables",
  lead: html`What scripts and templates of all checks can use, as <code>{{NAME}}</code> and <code>process.env.NAME</code>. Variables of a group or a check win over these.`,
  none: "There is no variable yet.",
  counted: (count: number) => countText(count, "variable"),
  done: {
    created: "The variable is made; runs that start from now on have it.",
    changed: "The variable is changed; that counts for runs that start from now on.",
    deleted: "The variable is deleted.",
  },
  addHeading: "Add a variable",
  addIt: "Add the variable",
  notShown: "The value is not shown",
  secretChip: "secret",
  lockedChip: "locked",
  deleteQuestion: (key: string) => `Delete ${key}? Checks that use it go without it.`,
  name: "Name",
  nameHint: "Letters, digits and underscores.",
  value: "Value",
  keptHint: "One is stored and is not shown. Leave this empty to keep it.",
  whoSees: "Who sees it",
  locked: "Locked: this page does not show it, and only READ_WRITE and higher read it over the API",
  secret: "Secret: nobody reads it again, and results are without it",
} as const;
