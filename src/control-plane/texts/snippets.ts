import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** Every English text of the pages of snippets. */
export const snippetTexts = {
  title: "Snippets",
  lead: html`Code that scripts of checks share: a script takes one in with <code>require("./snippets/name.js")</code>.`,
  newSnippet: "New snippet",
  none: "There is no snippet yet.",
  counted: (count: number) => countText(count, "snippet"),
  done: {
    created: "The snippet is made. An error in it shows in the first run of a check that uses it.",
    changed: "The snippet is changed; runs that start from now on use it.",
    deleted: "The snippet is deleted.",
  },
  madeAt: (lines: number, time: Html) => html`${countText(lines, "line")} · made ${time}`,
  changedAt: (lines: number, time: Html) => html`${countText(lines, "line")} · changed ${time}`,
  deleteQuestion: (name: string) => `Delete ${name}? Scripts that use it fail from then on.`,
  name: "Name",
  nameHint: "Scripts take it in as ./snippets/name.js",
  code: "Code",
  codeHint: "Node.js code.",
  create: "Create the snippet",
} as const;
