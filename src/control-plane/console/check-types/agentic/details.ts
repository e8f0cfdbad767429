import type { z } from "zod";
import type { AgenticAssertion, AgenticStep, AgenticSuggestion } from "#contract/checks/agentic.ts";
import type { PromptType, ResultOf } from "#contract/checks/index.ts";
import type { PlaywrightLogLine } from "#contract/checks/playwright-run.ts";
import { agenticRunTexts as texts } from "../../../texts/agentic-run.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { type Html, html } from "../../../view/html.ts";
import { durationText } from "../../../view/units.ts";
import { factList, part, verbatim } from "../../facts.ts";
import type { FileAddress, RunDetails } from "../check-type.ts";
import { evidenceFiles } from "../script-run/files.ts";
import { scrolled } from "../script-run/wide-table.ts";

type Seen = ResultOf<PromptType>;

/** What a run of a prompt did: its report, what was true by what evidence, each step, pictures, the trace. */
export function agenticDetails(seen: Seen, responseTimeMs: number | null, fileAt: FileAddress): RunDetails {
  return {
    shown: (_update, _beside, accept) => shown(seen, fileAt, accept),
    tookMs: responseTimeMs,
    phases: {},
    facts: () => ({}),
    scripts: null,
  };
}

function shown(seen: Seen, fileAt: FileAddress, accept: (number: number) => Html = () => html``): Html {
  const { mode, summary, errors, prompt } = seen;
  const ran = scriptRunTexts.facts;
  return html`${part(texts.report, html`<p>${summary}</p>`, html`<p class="hint">${texts.modes[mode]}</p>`)}
${errors.length > 0 && part(texts.errors, ...errors.map(({ code, message }) => verbatim(`${code}: ${message}`, texts.errors)))}
${part(texts.assertions.title, assertions(seen.assertions))}
${part(texts.suggestions.title, suggestions(seen.suggestions, accept))}
${part(texts.steps.title, steps(seen))}
${part(texts.screenshots, ...pictures(seen, fileAt))}
${evidenceFiles({ playwrightTestVideos: [], playwrightTestTraces: seen.playwrightTestTraces }, fileAt)}
${part(texts.prompt, verbatim(prompt ?? "", texts.prompt))}
${part(texts.log.title, log(seen))}
${part(
  texts.facts.title,
  factList([
    [texts.facts.runtime, seen.runtimeVersion],
    [texts.facts.browser, seen.browserVersion],
    [texts.facts.kept, ran.level(seen.sandboxLevel, seen.scriptEgress)],
  ]),
)}`;
}

function assertions(all: readonly AgenticAssertion[]): Html {
  if (all.length === 0) return html``;
  const { label, columns, passed, failed, rule } = texts.assertions;
  const rows = all.map(
    (one) =>
      html`<tr><td>${one.passed ? passed : html`<strong>${failed}</strong>`}</td><td class="free">${one.condition}</td><td class="free">${one.expected}</td><td class="free">${one.actual}</td></tr>`,
  );
  return html`${scrolled(label, columns, rows)}<p class="hint">${rule}</p>`;
}

function suggestions(all: readonly AgenticSuggestion[], accept: (number: number) => Html): Html {
  if (all.length === 0) return html``;
  const { hint, categories, replacement, secrets } = texts.suggestions;
  const items = all.map(
    (one, index) =>
      html`<li><strong>${categories[one.category]}</strong> ${one.summary}${(one.secrets ?? []).length > 0 && html`<p class="hint">${secrets((one.secrets ?? []).join(", "))}</p>`}${one.promptReplacement !== undefined && html`${verbatim(one.promptReplacement, replacement)}${accept(index)}`}</li>`,
  );
  return html`<p class="hint">${hint}</p><ul class="plain">${items}</ul>`;
}

/** A call and its answer are one row; what the model says is one of its own. */
function steps({ steps: all, startTime }: Seen): Html {
  const rows = all.flatMap((step, index) => {
    if (step.type === "tool_result") return [];
    const next = all[index + 1];
    return row(step, step.type === "tool_call" && next?.type === "tool_result" ? next.output : step.output, startTime);
  });
  return scrolled(texts.steps.label, texts.steps.columns, rows);
}

function row({ type, name, input, timestamp }: AgenticStep, output: string, startTime: number): Html {
  const asked = Object.entries(input).map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  const [first = ""] = output.split("\n");
  const answer =
    output.length <= 120
      ? html`${output}`
      : html`<details><summary>${first.slice(0, 120) || texts.steps.answer}</summary>${verbatim(output, texts.steps.answer)}</details>`;
  return html`<tr><td class="time">${durationText(Math.max(0, Date.parse(timestamp) - startTime))}</td><td>${type === "message" ? texts.steps.message : name}</td><td class="free">${asked.join(", ")}</td><td class="free">${answer}</td></tr>`;
}

function pictures({ jobAssets }: Seen, fileAt: FileAddress): readonly Html[] {
  return jobAssets
    .filter((name) => name.endsWith(".png"))
    .flatMap((name) => {
      const address = fileAt(name, "saved");
      const label = texts.screenshot(name);
      return address === null
        ? []
        : html`<figure><a href="${address}" download><img src="${address}" alt="${label}" loading="lazy"></a><figcaption class="hint">${name}</figcaption></figure>`;
    });
}

function log({ jobLog, startTime }: Seen): Html {
  const line = ({ time, level, msg }: z.infer<typeof PlaywrightLogLine>): Html =>
    html`<tr><td class="time">${durationText(Math.max(0, time - startTime))}</td><td>${level}</td><td class="free">${msg}</td></tr>`;
  return scrolled(texts.log.label, texts.log.columns, jobLog.map(line));
}
