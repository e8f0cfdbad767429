import type { MaintenanceWindow } from "#contract/maintenance-windows.ts";
import { commaList } from "#domain/comma-list.ts";
import { timeOf } from "#domain/maintenance.ts";
import { typed } from "../people/person-fields.ts";
import { visibilityForm, writtenVisibility } from "./window-visibility.ts";

/** What stands in the fields of a window that nobody made yet. */
export function emptyWindowForm(): URLSearchParams {
  const form = new URLSearchParams({ timezone: "UTC", repeatInterval: "1" });
  for (const [name, value] of visibilityForm(null)) form.append(name, value);
  return form;
}

/** What stands in the fields of a stored window: its times as clocks in its zone tell them. */
export function windowForm(window: MaintenanceWindow): URLSearchParams {
  const { name, timezone, description, repeatUnit, repeatInterval, repeatEndsAt, tags, silenceAlertsTags } = window;
  const form = new URLSearchParams({
    name,
    timezone: timezone ?? "UTC",
    startsAt: localText(window.startsAt, timezone),
    endsAt: localText(window.endsAt, timezone),
    repeatUnit: repeatInterval === null ? "" : (repeatUnit ?? ""),
    repeatInterval: String(repeatInterval ?? 1),
    repeatEndsAt: repeatEndsAt === null ? "" : localText(repeatEndsAt, timezone).slice(0, 10),
    tags: tags.join(", "),
    silenceAlertsTags: silenceAlertsTags.join(", "),
    description: description ?? "",
  });
  if (window.pauseAllChecks) form.set("pauseAllChecks", "on");
  if (window.silenceAllAlerts) form.set("silenceAllAlerts", "on");
  for (const [name, value] of visibilityForm(window)) form.append(name, value);
  return form;
}

/** Like 2036-05-05T02:00. */
export function localText(text: string, timezone: string | null): string {
  const atMs = timeOf(text, timezone);
  if (atMs === null) return "";
  const local = Temporal.Instant.fromEpochMilliseconds(atMs)
    .toZonedDateTimeISO(timezone ?? "UTC")
    .toPlainDateTime();
  return local.toString({ smallestUnit: "minute" });
}

/**
 * The body that creates or replaces a window. What was not touched stays as it was written: a day, an instant,
 * a tag with a comma in it.
 */
export function writtenWindow(form: URLSearchParams, before: MaintenanceWindow | null): object {
  const shown = before === null ? null : windowForm(before);
  const text = (name: string): string => typed(form, name);
  const isSame = (...names: readonly string[]): boolean => names.every((name) => shown !== null && text(name) === shown.get(name)?.trim());
  const tags = (name: "tags" | "silenceAlertsTags"): readonly string[] =>
    before !== null && isSame(name) ? before[name] : commaList(text(name));
  const areTimesSame = isSame("startsAt", "endsAt", "timezone");
  return {
    name: text("name"),
    ...(!areTimesSame && { startsAt: text("startsAt"), endsAt: text("endsAt") }),
    timezone: areTimesSame ? (before?.timezone ?? null) : text("timezone"),
    ...repetition(form, isSame("repeatEndsAt", "timezone") ? (before?.repeatEndsAt ?? null) : text("repeatEndsAt") || null),
    tags: tags("tags"),
    pauseAllChecks: form.has("pauseAllChecks"),
    silenceAlertsTags: tags("silenceAlertsTags"),
    silenceAllAlerts: form.has("silenceAllAlerts"),
    description: text("description").replaceAll("\r\n", "\n") || null,
    statusPageVisibility: writtenVisibility(form),
  };
}

function repetition(form: URLSearchParams, repeatEndsAt: string | null): object {
  const repeatUnit = typed(form, "repeatUnit");
  if (repeatUnit === "") return { repeatUnit, repeatInterval: null, repeatEndsAt: null };
  const interval = typed(form, "repeatInterval");
  return { repeatUnit, repeatInterval: /^\d+$/.test(interval) ? Number(interval) : interval, repeatEndsAt };
}
