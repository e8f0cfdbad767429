import type { RunProgress } from "#contract/run-progress.ts";
import { tryTexts } from "../../texts/check-form.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";

const texts = tryTexts.progress;

/** How far a script is that runs now: its step, the page as it is, and the last lines of its log. */
export function runProgress(location: string, { phase, testsDone, step, log, picture }: RunProgress): Html {
  return html`<p>${stateLabel("busy", texts.phases[phase])} <span>${location}</span>${testsDone > 0 && html` <span class="soft">${texts.done(testsDone)}</span>`}</p>
${step !== null && html`<p class="step">${step}</p>`}
${picture !== null && html`<figure><img src="data:image/jpeg;base64,${picture}" alt="${texts.picture}"></figure>`}
${log.length > 0 && html`<pre class="log" tabindex="0" aria-label="${texts.log}">${log.map(({ level, msg }) => `${level === "INFO" ? "" : `${level} `}${msg.trimEnd()}\n`).join("")}</pre>`}`;
}

export const progressStyle = `
.run .step { margin: .4rem 0 0; font-weight: 500; overflow-wrap: anywhere; }
.run figure { margin: .6rem 0 0; } .run figure img { display: block; max-width: 100%; border: 1px solid var(--line); border-radius: 6px; }
.run .log { margin: .6rem 0 0; padding: .5rem .7rem; max-height: 12rem; overflow: auto; background: var(--sunken); border-radius: 6px; font-size: .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
`;
