import type { MaintenanceVisibility } from "#contract/maintenance-windows.ts";
import type { StatusPageService } from "#contract/status-pages/services.ts";
import { actionTexts } from "../../texts/actions.ts";
import { visibilityTexts as texts } from "../../texts/maintenance.ts";
import { type Html, html } from "../../view/html.ts";
import { checkbox, choices } from "../form-inputs.ts";
import { type FormProblems, field, select } from "../form-view.ts";
import type { ListedStatusPage } from "../published/page-words.ts";
import { visibilityField, type visibilityFlags } from "./window-visibility.ts";

/** What a window can be about. */
export interface Publishable {
  readonly services: readonly StatusPageService[];
  readonly statusPages: readonly ListedStatusPage[];
}

/** How status pages show a window, and whom they tell. */
export function visibilitySection(form: URLSearchParams, { services, statusPages }: Publishable, problems: FormProblems): Html {
  const flag = (name: (typeof visibilityFlags)[number], label: string): Html =>
    checkbox({ name: visibilityField(name), label, isOn: form.has(visibilityField(name)) });
  const [severity, reminders] = [visibilityField("severity"), visibilityField("reminderMinutesBefore")];
  const problem = (name: keyof MaintenanceVisibility): string | undefined => problems[visibilityField(name)];
  return html`<section><h2>${texts.title}</h2>
${flag("enabled", texts.enabled)}
${flag("suppressAutoIncidents", texts.suppress)}
${choices(texts.services, [flag("affectAllServices", texts.allServices), ...boxes(form, "serviceIds", services)], problem("serviceIds"))}
${statusPages.length > 0 && choices(texts.pages, [html`<p class="hint">${texts.pagesHint}</p>`, ...boxes(form, "statusPageIds", statusPages)], problem("statusPageIds"))}
${choices(texts.course, [flag("showAffectedServices", texts.showServices), flag("autoStart", texts.autoStart), flag("autoEnd", texts.autoEnd)])}
${choices(texts.mails, [flag("notifyOnStart", texts.onStart), flag("notifyOnEnd", texts.onEnd)])}
${field({ name: reminders, label: actionTexts.optional(texts.reminders), hint: texts.remindersHint, value: form.get(reminders) ?? "", autocomplete: "off", isOptional: true, maxLength: 100, problems })}
${select({ name: severity, label: texts.severity, value: form.get(severity) ?? "", options: Object.entries(texts.severities) })}</section>`;
}

/** One for each, and for each that was chosen and is gone; an id stays as it was written. */
function boxes(
  form: URLSearchParams,
  name: "serviceIds" | "statusPageIds",
  all: readonly { readonly id: string; readonly name: string }[],
): readonly Html[] {
  const chosen = form.getAll(visibilityField(name));
  const gone = chosen.filter((id) => all.every((one) => one.id !== id.toLowerCase()));
  const box = (value: string, label: string): Html => checkbox({ name: visibilityField(name), value, label, isOn: chosen.includes(value) });
  return [
    ...all.map((one) => box(chosen.find((id) => id.toLowerCase() === one.id) ?? one.id, one.name)),
    ...gone.map((id) => box(id, texts.gone(id))),
  ];
}
