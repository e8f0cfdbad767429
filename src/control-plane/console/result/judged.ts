import type { CheckResult } from "#contract/check-results.ts";
import type { EvaluatedAssertion } from "#contract/checks/assertion.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { table } from "../table.ts";
import { part } from "./facts.ts";

/** What was asserted, and what was seen instead where it did not hold. */
export function assertions(result: CheckResult): Html {
  const all = assertionsOf(result);
  if (all.length === 0) return html``;
  return part("Assertions", table(["Held", "Asserted", "Seen"], all.map(row)));
}

export function assertionsOf(result: CheckResult): readonly EvaluatedAssertion[] {
  const { apiCheckResult, tcpCheckResult, dnsCheckResult, icmpCheckResult, sslCheckResult } = result;
  return (apiCheckResult ?? tcpCheckResult ?? dnsCheckResult ?? icmpCheckResult ?? sslCheckResult)?.assertions ?? [];
}

function row({ source, property, comparison, target, error, actual }: EvaluatedAssertion): Html {
  const what = `${words(source)}${property === "" ? "" : ` ${property}`} ${words(comparison)} ${String(target)}`.trim();
  const held = error === undefined || error === "";
  return html`<tr><td>${held ? stateLabel("ok", "yes") : stateLabel("bad", "no")}</td><td class="free">${what}</td><td class="free">${held ? told(actual) : (error ?? "")}</td></tr>`;
}

function words(name: string): string {
  return name.toLowerCase().replaceAll("_", " ");
}

function told(actual: unknown): string {
  if (actual === undefined || actual === null) return "";
  const text = typeof actual === "string" ? actual : JSON.stringify(actual);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

/** What scripts and the agent said meanwhile. */
export function jobLog({ apiCheckResult }: CheckResult): Html {
  const { setup = [], request = [], teardown = [] } = apiCheckResult?.jobLog ?? {};
  const lines = Object.entries({ setup, request, teardown }).flatMap(([phase, entries]) => entries.map((entry) => ({ phase, ...entry })));
  if (lines.length === 0) return html``;
  const row = ({ phase, time, level, msg }: (typeof lines)[number]): Html =>
    html`<tr class="${level.toLowerCase()}"><td><time datetime="${new Date(time).toISOString()}">${new Date(time).toISOString().slice(11, 23)}</time></td><td>${phase}</td><td>${level}</td><td class="free">${msg}</td></tr>`;
  return part("Job log", table(["Time (UTC)", "Phase", "Level", "Message"], lines.map(row), "log"));
}
