import type { MaintenanceVisibility, MaintenanceWindow } from "#contract/maintenance-windows.ts";
import { commaList } from "#domain/comma-list.ts";
import { typed } from "../people/person-fields.ts";

/** As the body names them, so that what is wrong is told beside its field. */
export function visibilityField(name: keyof MaintenanceVisibility): string {
  return `statusPageVisibility.${name}`;
}

export const visibilityFlags = [
  "enabled",
  "affectAllServices",
  "showAffectedServices",
  "suppressAutoIncidents",
  "autoStart",
  "autoEnd",
  "notifyOnStart",
  "notifyOnEnd",
] as const satisfies readonly (keyof MaintenanceVisibility)[];

const lists = ["serviceIds", "statusPageIds"] as const;

/** Of a window that nobody made yet; as where REST leaves everything out. */
const plain: MaintenanceVisibility = {
  enabled: false,
  severity: null,
  affectAllServices: false,
  suppressAutoIncidents: false,
  notifyOnStart: false,
  notifyOnEnd: false,
  reminderMinutesBefore: [],
  autoStart: true,
  autoEnd: true,
  showAffectedServices: true,
  statusPageIds: [],
  serviceIds: [],
};

/** What stands in the fields. */
export function visibilityForm(window: MaintenanceWindow | null): readonly (readonly [string, string])[] {
  const visibility = window?.statusPageVisibility ?? plain;
  return [
    [visibilityField("severity"), visibility.severity ?? ""],
    [visibilityField("reminderMinutesBefore"), visibility.reminderMinutesBefore.join(", ")],
    ...visibilityFlags.flatMap((name) => (visibility[name] ? [[visibilityField(name), "on"] as const] : [])),
    ...lists.flatMap((name) => visibility[name].map((id) => [visibilityField(name), id] as const)),
  ];
}

/** The part of a window's body. What is no number stays as it was typed, so that the operation tells what it wants there. */
export function writtenVisibility(form: URLSearchParams): object {
  const minutes = commaList(typed(form, visibilityField("reminderMinutesBefore")));
  return {
    severity: typed(form, visibilityField("severity")) || null,
    reminderMinutesBefore: minutes.map((text) => (/^\d+$/.test(text) ? Number(text) : text)),
    ...Object.fromEntries(visibilityFlags.map((name) => [name, form.has(visibilityField(name))])),
    ...Object.fromEntries(lists.map((name) => [name, form.getAll(visibilityField(name))])),
  };
}
