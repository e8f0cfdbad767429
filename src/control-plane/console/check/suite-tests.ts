import type { SuiteTest, SuiteTests } from "#contract/suite-tests.ts";
import { suiteTexts as texts } from "../../texts/suites.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { clockText, dateText, durationText, timeElement } from "../../view/units.ts";
import { part } from "../facts.ts";
import { table } from "../table.ts";

export const suiteStyle = `
.trend { display: block; height: 1.6rem; width: auto; }
.trend a:focus-visible rect { stroke: var(--accent); stroke-width: 2; }
.tree details { margin: 0 0 .4rem; }
.tree details details { margin-left: 1.2rem; }
.tree td { vertical-align: middle; }
.tree .since { display: block; font-size: .84rem; color: var(--soft); }
.tree th:first-child { width: 11.5rem; } .tree th:nth-child(3) { width: 12rem; } .tree th:nth-child(n + 4) { width: 6rem; }
@media (max-width: 40rem) { .tree td[data-name]::before { content: attr(data-name) " "; color: var(--soft); } }
`;

const tones: Readonly<Record<NonNullable<SuiteTest["state"]>, Tone>> = { passed: "ok", failed: "bad", flaky: "warn", skipped: "none" };

/** Tests of one page: each has a link for each of its runs. */
const mostOnCheckPage = 40;

/** Of a check's page: those that need somebody first. Nothing of a check that has no tests. */
export function suiteSection(checkId: string, suite: SuiteTests | null): Html {
  if (suite === null || suite.tests.length === 0) return html``;
  const { tests } = suite;
  const shown = new Set(tests.toSorted((one, other) => urgency(other) - urgency(one)).slice(0, mostOnCheckPage));
  const rest = tests.length > mostOnCheckPage;
  return part(
    texts.title,
    summary(suite),
    testTree(
      checkId,
      suite,
      tests.filter((test) => shown.has(test)),
    ),
    rest
      ? html`<p class="pages"><a href="/checks/${checkId}/tests">${texts.all(tests.length)}</a></p>`
      : html`<p class="pages"><a href="/checks/${checkId}/tests?show=slowest">${texts.filters.slowest}</a></p>`,
  );
}

function urgency({ state, failingSince, counts }: SuiteTest): number {
  if (state === null) return -1;
  return (state === "failed" ? 4 : 0) + (failingSince?.isNew === true ? 2 : 0) + (state === "flaky" || counts.flaky > 0 ? 1 : 0);
}

/** How many of them fail or are flaky, over how many runs. */
export function summary({ runs, tests }: SuiteTests): Html {
  const failing = tests.filter(({ state }) => state === "failed");
  const fresh = failing.filter(({ failingSince }) => failingSince?.isNew === true);
  const flaky = tests.filter(isFlaky);
  const labels = [
    ...(fresh.length > 0 ? [stateLabel("bad", texts.newlyFailing(fresh.length))] : []),
    ...(failing.length > fresh.length ? [stateLabel("bad", texts.failing(failing.length - fresh.length))] : []),
    ...(flaky.length > 0 ? [stateLabel("warn", texts.flaky(flaky.length))] : []),
  ];
  const told = labels.length === 0 ? [stateLabel("ok", texts.quiet)] : labels;
  return html`<p class="about"><span>${texts.lastRuns(runs.length)}</span>${told}</p>`;
}

export function isFlaky({ state, counts }: SuiteTest): boolean {
  return state !== null && counts.flaky > 0;
}

/** By project and file; files with a test that fails or is flaky are open, and all where there are few. */
export function testTree(checkId: string, { runs }: Pick<SuiteTests, "runs">, tests: readonly SuiteTest[]): Html {
  const projects = Map.groupBy(tests, ({ project }) => project ?? "");
  const isSmall = tests.length <= 10;
  const files = (of: readonly SuiteTest[]): Html => {
    const parts = [...Map.groupBy(of, ({ file }) => file)].map(([file, inFile]) => {
      const rows = inFile.map((test) => testRow(checkId, runs, test));
      return branch(file, inFile, isSmall || inFile.some(isNotable), table(texts.columns, rows, "stacked"));
    });
    return html`${parts}`;
  };
  if (projects.size < 2) return html`<div class="tree">${files(tests)}</div>`;
  const parts = [...projects].map(([name, of]) =>
    branch(name === "" ? texts.noProject : name, of, isSmall || of.some(isNotable), files(of)),
  );
  return html`<div class="tree">${parts}</div>`;
}

function isNotable(test: SuiteTest): boolean {
  return test.state === "failed" || test.state === "flaky";
}

function branch(name: string, of: readonly SuiteTest[], isOpen: boolean, content: Html): Html {
  const passing = of.filter(({ state }) => state === "passed" || state === "flaky").length;
  return html`<details${isOpen && html` open`}><summary>${name} <span class="soft">${texts.passing(passing, of.length)}</span></summary>${content}</details>`;
}

function testRow(checkId: string, runs: SuiteTests["runs"], test: SuiteTest): Html {
  const { title, state, durationMs, flakyRate } = test;
  const label = state === null ? stateLabel("none", texts.gone) : stateLabel(tones[state], texts.states[state]);
  const rate = flakyRate === null || flakyRate === 0 ? texts.none : texts.rate(flakyRate);
  const figures = [duration(durationMs.latest), duration(durationMs.p50), duration(durationMs.slowest), rate];
  const cells = figures.map((text, at) => html`<td data-name="${texts.columns[at + 3] ?? ""}">${text}</td>`);
  return html`<tr><td>${label}</td><td class="free">${title}${since(checkId, test)}</td><td>${trend(checkId, runs, test)}</td>${cells}</tr>`;
}

function since(checkId: string, { failingSince }: SuiteTest): Html {
  if (failingSince === null) return html``;
  const { resultId, startedAt, isNew } = failingSince;
  const at = html`<a href="/checks/${checkId}/results/${resultId}">${timeElement(Date.parse(startedAt))}</a>`;
  return html`<span class="since">${isNew ? texts.newSince : texts.since} ${at}</span>`;
}

function duration(ms: number | null): string {
  return ms === null ? texts.none : durationText(ms);
}

const mostBars = 20;
const [barWidth, barStep, height] = [6, 8, 24];

/** A bar for each of the latest runs that has the test, as high as it took long; each leads to its run. */
function trend(checkId: string, runs: SuiteTests["runs"], { outcomes, durationsMs }: SuiteTest): Html {
  const shown = outcomes
    .slice(0, mostBars)
    .flatMap((outcome, run) => (outcome === null ? [] : [{ outcome, ms: durationsMs[run] ?? 0, of: runs[run] }]));
  const longest = Math.max(1, ...shown.map(({ ms }) => ms));
  const bars = shown.toReversed().flatMap(({ outcome, ms, of }, index) => {
    if (of === undefined) return [];
    const at = Date.parse(of.startedAt);
    const tall = Math.max(4, Math.round((height * ms) / longest));
    const name = texts.bar(texts.outcomes[outcome], durationText(ms), `${dateText(at)}, ${clockText(at)}`);
    return html`<a href="/checks/${checkId}/results/${of.resultId}" aria-label="${name}"><rect class="${tones[outcome]}" x="${index * barStep}" y="${height - tall}" width="${barWidth}" height="${tall}"><title>${name}</title></rect></a>`;
  });
  const width = Math.max(1, shown.length) * barStep;
  return html`<svg class="trend" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${bars}</svg>`;
}
