import type { MaintenanceWindow } from "#contract/maintenance-windows.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { html } from "../../pages/html.ts";
import { checkbox, textArea } from "../form-inputs.ts";
import { type FormProblems, field, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";

interface WindowFormView {
  /** What stands in the fields. */
  readonly form: URLSearchParams;
  /** Null: it is yet to be made. */
  readonly window: Pick<MaintenanceWindow, "id" | "name"> | null;
  readonly problems?: FormProblems;
  readonly status?: number;
}

const repeats = [
  ["", "Never"],
  ["DAY", "Daily"],
  ["WEEK", "Weekly"],
  ["MONTH", "Monthly"],
] as const;

/** A window to be made or changed; how status pages show it, REST takes. */
export function windowFormPage(visit: Visit, { form, window, problems = {}, status = 200 }: WindowFormView): FormAnswer {
  const title = window === null ? "New maintenance window" : `Change ${window.name}`;
  const given = (name: string): string => form.get(name) ?? "";
  const text = { autocomplete: "off", problems };
  const tags = (name: string) =>
    field({
      ...text,
      name,
      label: "Checks with these tags (optional)",
      hint: "Separated by commas.",
      value: given(name),
      isOptional: true,
      maxLength: 5_000,
    });
  const content = html`${field({ ...text, name: "name", label: "Name", value: given("name"), maxLength: 200, isFirst: true })}
<section><h2>When</h2>
<div class="pair">${field({ ...text, name: "startsAt", label: "Start", type: "datetime-local", value: given("startsAt") })}
${field({ ...text, name: "endsAt", label: "End", type: "datetime-local", value: given("endsAt") })}</div>
${select({ name: "timezone", label: "Time zone", value: form.get("timezone") ?? "UTC", options: zones() })}
<div class="pair">${select({ name: "repeatUnit", label: "Repeat", value: given("repeatUnit"), options: repeats })}
${field({ ...text, name: "repeatInterval", label: "Every how many days, weeks or months", value: form.get("repeatInterval") ?? "1", maxLength: 3 })}</div>
${field({ ...text, name: "repeatEndsAt", label: "Last day of repetition (optional)", type: "date", value: given("repeatEndsAt"), isOptional: true })}</section>
<section><h2>What pauses</h2><p class="hint">Scheduled runs; they are not made up for.</p>
${checkbox({ name: "pauseAllChecks", label: "Pause all checks", isOn: form.has("pauseAllChecks") })}${tags("tags")}</section>
<section><h2>What is silent</h2><p class="hint">The checks run, and nobody is told.</p>
${checkbox({ name: "silenceAllAlerts", label: "Silence all alerts", isOn: form.has("silenceAllAlerts") })}${tags("silenceAlertsTags")}</section>
<section><h2>For people</h2>
${textArea({ name: "description", label: "Description (optional)", value: given("description"), rows: 3, maxLength: 2_000, isOptional: true, isProse: true, problems })}</section>
<div class="send"><button>${window === null ? "Create the window" : "Save"}</button><a href="/maintenance">Cancel</a></div>`;
  const body = html`<p class="crumbs"><a href="/maintenance">Maintenance</a></p>
<h1>${title}</h1>
${problemBox(problems[""])}
${postForm(window === null ? "/maintenance" : `/maintenance/${window.id}`, visit.csrf, content, "form")}`;
  return { ...consolePage(visit, { title, style: tellStyle, body }), status };
}

function zones(): readonly (readonly [string, string])[] {
  const names = Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC");
  return ["UTC", ...names].map((name) => [name, name.replaceAll("_", " ")]);
}
