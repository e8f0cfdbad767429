import type { TestSessionResult, TestSessionStatus } from "#contract/test-session-results.ts";
import type { TestSession } from "#contract/test-sessions.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { tryTexts as texts } from "../../texts/check-form.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { durationText, momentElement } from "../../view/units.ts";
import { checkPageStyle } from "../check-style.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { progressStyle, runProgress } from "./run-progress.ts";

const tones: Readonly<Record<TestSessionStatus, Tone>> = { RUNNING: "busy", PASSED: "ok", FAILED: "bad", CANCELLED: "none" };

/** After which a browser asks again what becomes of runs that go on. */
const againSeconds = 3;

/** A test session with what came of each of its runs. */
export function testSessionPage(visit: Visit, session: TestSession): FormAnswer {
  const { name, status, startedAt, results, testSessionId: id } = session;
  const body = html`<p class="crumbs"><a href="/checks">${texts.checks}</a> / ${texts.sessionTitle}</p><div class="head"><h1>${name}</h1>${state(status)}</div>
<p class="about"><span>${momentElement(Date.parse(startedAt))}</span>${status === "RUNNING" && html`<a href="/test-sessions/${id}">${texts.lookAgain}</a>`}</p>
<p class="hint">${texts.sessionHint}</p>
${results.length === 0 ? html`<p>${texts.noneRan}</p>` : html`<ul class="list tested">${results.map((one) => resultRow(visit, id, one))}</ul>`}`;
  const page = consolePage(visit, { title: name, style: checkPageStyle + progressStyle, body });
  return status === "RUNNING" ? { ...page, headers: { ...page.headers, refresh: String(againSeconds) } } : page;
}

function state(status: TestSessionStatus): Html {
  return stateLabel(tones[status], texts.states[status]);
}

function resultRow(
  { placeName }: Visit,
  id: string,
  { testSessionResultId, name, status, runLocation, responseTime, progress }: TestSessionResult,
): Html {
  return html`<li><div class="who"><a href="/test-sessions/${id}/results/${testSessionResultId}"><strong>${name}</strong></a> <span>${placeName(runLocation)}${responseTime !== null && html` · ${durationText(responseTime)}`}</span>${progress && html`<div class="run">${runProgress(placeName(runLocation), progress)}</div>`}</div>${state(status)}</li>`;
}
