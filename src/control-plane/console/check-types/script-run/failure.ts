import type { ResultOf, TestedType } from "#contract/checks/index.ts";
import type { PlaywrightError } from "#contract/checks/playwright-run.ts";
import { failingStep, firstError } from "#domain/script-failure.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { type Html, html } from "../../../view/html.ts";
import { factList, part, verbatim } from "../../facts.ts";
import type { FileAddress } from "../check-type.ts";

const texts = scriptRunTexts.failure;

/** The step that failed with the page as it was then; further errors are folded. */
export function failure(seen: ResultOf<TestedType>, fileAt: FileAddress): Html {
  const first = firstError(seen);
  if (first === undefined) return html``;
  const others = seen.errors.filter((error) => error !== first);
  return part(
    texts.title,
    html`<div id="screenshot">${oneError(seen, first, fileAt)}</div>`,
    others.length === 0
      ? html``
      : html`<details><summary>${texts.further(others.length)}</summary>${others.map((error) => oneError(seen, error, fileAt))}</details>`,
  );
}

function oneError(seen: ResultOf<TestedType>, error: PlaywrightError, fileAt: FileAddress): Html {
  const { title, location, message, snippet, stack, isSoft, screenshot } = error;
  const picture = screenshot === null ? null : fileAt(screenshot, "saved");
  return html`<div class="failure">${factList([
    [texts.test, title],
    [texts.step, failingStep(seen, error)?.title],
    [texts.place, location && texts.at(location.file, location.line)],
  ])}
${verbatim(message, texts.title)}${isSoft && html`<p class="hint">${texts.soft}</p>`}
${picture !== null && html`<figure><a href="${picture}" download><img src="${picture}" alt="${texts.screenshot}" loading="lazy"></a><figcaption class="hint">${texts.screenshot}</figcaption></figure>`}
${verbatim(snippet ?? "", texts.code)}${stack !== null && stack !== "" && html`<details><summary>${texts.stack}</summary>${verbatim(stack, texts.stack)}</details>`}</div>`;
}
