import { getCheckV1 } from "#contract/checks/operations.ts";
import { isSuite } from "#contract/checks/traits.ts";
import { getTestsOfSuite, type SuiteTest, type SuiteTests } from "#contract/suite-tests.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { suiteTexts as texts } from "../../texts/suites.ts";
import { html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { checkPageStyle } from "../check-style.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import { consolePage } from "../shell.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { isFlaky, suiteStyle, summary, testTree } from "./suite-tests.ts";

/** Of a check of another type it is null. */
export async function suiteTestsOf(
  ask: Ask,
  visit: Visit,
  { id, checkType }: Pick<CheckRead, "id" | "checkType">,
): Promise<SuiteTests | null> {
  return isSuite(checkType) ? ask(visit, getTestsOfSuite, { params: { id } }) : null;
}

/** All tests of a suite, some of them at a time. */
export function suitePage(ask: Ask): ConsolePage {
  return {
    method: "GET",
    path: "/checks/{id}/tests",
    access: "read",
    answer: async (visit) => {
      const params = { id: visit.request.params["id"] ?? "" };
      const [check, suite] = await Promise.all([ask(visit, getCheckV1, { params }), ask(visit, getTestsOfSuite, { params })]);
      return allTests(visit, check, suite);
    },
  };
}

const filters: Readonly<Record<"all" | "failing" | "flaky" | "slowest", (tests: readonly SuiteTest[]) => readonly SuiteTest[]>> = {
  all: (tests) => tests,
  failing: (tests) => tests.filter(({ state }) => state === "failed"),
  flaky: (tests) => tests.filter(isFlaky),
  slowest: (tests) => tests.toSorted((a, b) => (b.durationMs.p50 ?? 0) - (a.durationMs.p50 ?? 0)),
};
type Filter = keyof typeof filters;

const testsOfPage = 100;

function allTests(visit: Visit, { id, name }: Pick<CheckRead, "id" | "name">, suite: SuiteTests): FormAnswer {
  const { query } = visit.request;
  const asked = query.get("show") ?? "all";
  const filter: Filter = Object.hasOwn(filters, asked) ? (asked as Filter) : "all";
  const found = filters[filter](suite.tests);
  const last = Math.max(1, Math.ceil(found.length / testsOfPage));
  const page = Math.min(last, Math.max(1, Math.trunc(Number(query.get("page"))) || 1));
  const address = (show: Filter, at = 1): string => `/checks/${id}/tests?show=${show}&page=${at}`;
  const tabs = (Object.keys(filters) as Filter[]).map(
    (one) => html`<li><a href="${address(one)}"${one === filter && html` aria-current="page"`}>${texts.filters[one]}</a></li>`,
  );
  const shown = found.slice((page - 1) * testsOfPage, page * testsOfPage);
  const nothing = html`<p class="box">${suite.runs.length === 0 ? texts.noRuns : texts.noneOfFilter}</p>`;
  const links = html`${page > 1 && html`<a href="${address(filter, page - 1)}" rel="prev">${texts.previous}</a>`}${page < last && html`<a href="${address(filter, page + 1)}" rel="next">${texts.next}</a>`}`;
  const body = html`<p class="crumbs"><a href="/checks">${checkPageTexts.checks}</a> / <a href="/checks/${id}">${name}</a></p>
<div class="head"><h1>${texts.title}</h1></div>
${suite.runs.length > 0 && summary(suite)}
<nav aria-label="${texts.filters.label}"><ul class="ranges">${tabs}</ul></nav>
${shown.length === 0 ? nothing : testTree(id, suite, shown)}
${last > 1 && html`<p class="pages">${links}</p>`}`;
  return consolePage(visit, { title: texts.pageTitle(name), style: checkPageStyle + suiteStyle, isPacked: true, body });
}
