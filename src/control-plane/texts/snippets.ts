import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** Every English text of the pages of snippets. */
export const snippetTexts = {
  title: "Snippets",
  lead: html`Code shared by check scripts. Scripts load a snippet with <code>require("./snippets/name.js")</code>.`,
  newSnippet: "New snippet",
  none: "No snippets yet.",
  counted: (count: number) => countText(count, "snippet"),
  done: {
    created: "Snippet created. Errors in it show in runs of the checks that use it.",
    changed: "Snippet saved. New runs use it.",
    deleted: "Snippet deleted.",
  },
  madeAt: (lines: number, time: Html) => html`${countText(lines, "line")} · created ${time}`,
  changedAt: (lines: number, time: Html) => html`${countText(lines, "line")} · changed ${time}`,
  deleteQuestion: (name: string) => `Delete ${name}? Scripts that use it will fail.`,
  name: "Name",
  nameHint: "Scripts load it as ./snippets/name.js",
  code: "Code",
  codeHint: "Node.js code.",
  create: "Create snippet",
} as const;
