import type { ResultOf, TestedType } from "#contract/checks/index.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { type Html, html } from "../../../view/html.ts";
import { part, verbatim } from "../../facts.ts";

const texts = scriptRunTexts.suggestions;

/** Lines of the script that could be others, as they would change. @param accept what takes one over, by its number */
export function suggestions(seen: ResultOf<TestedType>, accept: (number: number) => Html = () => html``): Html {
  const all = seen.suggestions ?? [];
  if (all.length === 0) return html``;
  const items = all.map(
    ({ category, summary, file, line, before, after }, index) =>
      html`<li><strong>${texts.categories[category]}</strong> ${summary}${verbatim(`- ${before}\n+ ${after}`, texts.change(file, line))}${accept(index)}</li>`,
  );
  return part(texts.title, html`<p class="hint">${texts.hint}</p><ul class="plain">${items}</ul>`);
}
