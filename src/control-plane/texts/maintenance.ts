import type { MaintenanceWindow } from "#contract/maintenance-windows.ts";
import { countText } from "../pages/public/units.ts";
import { maintenanceStatusTexts } from "./statuses.ts";

const units = { DAY: "day", WEEK: "week", MONTH: "month" } as const;

/** Every English text of maintenance windows in the console; their occurrences have texts of their own. */
export const maintenanceTexts = {
  title: "Maintenance",
  lead: "Times in which checks pause, or alert nobody.",
  none: "There is no maintenance window.",
  counted: (count: number) => countText(count, "window"),
  done: {
    created: "The window is made; it counts from its start on.",
    changed: "The window is changed; that counts from now on.",
    deleted: "The window is deleted. What it paused or silenced goes on at once.",
  },
  over: "Over",
  scheduled: "Scheduled",
  inProgress: "In progress",
  lasts: (length: string) => `for ${length}`,
  delete: (name: string) => `Delete ${name}? What it pauses or silences goes on at once.`,
  once: "Once",
  every: (count: number, unit: keyof typeof units) => (count === 1 ? `Every ${units[unit]}` : `Every ${countText(count, units[unit])}`),
  until: (every: string, day: string) => `${every} until ${day}`,
  pausesAll: "Pauses all checks",
  pauses: (tags: readonly string[]) => `Pauses checks with ${tags.join(", ")}`,
  silencesAll: "Silences all alerts",
  silences: (tags: readonly string[]) => `Silences alerts of checks with ${tags.join(", ")}`,
  doesNothing: "Neither pauses nor silences",
  isShown: "On status pages",
  occurrences: "Occurrences",
} as const;

/** Of the form of a window. */
export const windowFormTexts = {
  new: "New maintenance window",
  newButton: "New window",
  change: (name: string) => `Change ${name}`,
  create: "Create the window",
  name: "Name",
  when: "When",
  start: "Start",
  end: "End",
  noStart: "Enter when it starts.",
  noEnd: "Enter when it ends.",
  timezone: "Time zone",
  repeat: "Repeat",
  repeats: { "": "Never", DAY: "Daily", WEEK: "Weekly", MONTH: "Monthly" },
  interval: "Every how many days, weeks or months",
  lastDay: "Last day of repetition",
  pauses: "What pauses",
  aboutPauses: "Scheduled runs; they are not made up for.",
  pauseAll: "Pause all checks",
  silent: "What is silent",
  aboutSilence: "The checks run, and nobody is told.",
  silenceAll: "Silence all alerts",
  tags: "Checks with these tags",
  tagsHint: "Separated by commas.",
  people: "For people",
  description: "Description",
} as const;

/** Of how a window shows on status pages. */
export const visibilityTexts = {
  title: "Status pages",
  enabled: "Show it on status pages",
  services: "Services that it affects",
  allServices: "All of them",
  pages: "Status pages that show it",
  pagesHint: "None: those that show one of these services; without any chosen, all pages.",
  gone: (id: string) => `Deleted (${id})`,
  showServices: "Tell which services it affects",
  severity: "Severity, for programs alone",
  severities: { "": "None", MINOR: "Minor", MEDIUM: "Medium", MAJOR: "Major", CRITICAL: "Critical" } satisfies Record<
    "" | NonNullable<MaintenanceWindow["statusPageVisibility"]["severity"]>,
    string
  >,
  course: "How it goes",
  autoStart: "It begins at its start; else when an update says so",
  autoEnd: "It is over at its end; else when an update says so",
  suppress: "Checks that fail meanwhile open no incident",
  mails: "Mails to subscribers",
  onStart: "When it begins",
  onEnd: "When it is over",
  reminders: "Reminders before its start",
  remindersHint: "Minutes, between commas: 60 is an hour, 1440 a day, 10080 a week. Three at most.",
} as const;

/** Of single occurrences of a window. */
export const occurrenceTexts = {
  title: (window: string) => `Occurrences of ${window}`,
  lead: "Each can be moved, skipped and told about without its window.",
  none: "There is none: all of them were skipped.",
  counted: (count: number) => countText(count, "occurrence"),
  one: (window: string) => `An occurrence of ${window}`,
  heading: "Occurrences",
  updateCount: (count: number) => countText(count, "update"),
  lasts: (length: string) => `for ${length}`,
  done: {
    moved: "The occurrence is moved; its window stays.",
    skipped: "The occurrence is skipped: it does not happen.",
    told: "The update is told.",
    corrected: "The update is changed.",
    withdrawn: "The update is deleted, and what it did to the occurrence.",
  },
  statuses: maintenanceStatusTexts,
  newUpdate: "New update",
  updateText: "What people should know",
  status: "Status",
  notify: "Send it to subscribers",
  addUpdate: "Add the update",
  updates: "Updates",
  noUpdates: "Nothing was told yet.",
  sent: "sent to subscribers",
  changeUpdate: "Change an update",
  wasSent: "It was sent to subscribers; the change is not.",
  thisUpdate: "this update",
  theUpdate: "the update",
  deleteUpdate: "Delete this update? What it did to the status and the times of the occurrence goes with it.",
  move: "Move",
  moveTo: "Move it to other times",
  start: "Start",
  end: "End",
  inZone: (zone: string) => `Time in ${zone}.`,
  skip: "Skip this occurrence",
  skipQuestion: "Skip this occurrence? It does not happen, and nobody is told. To tell people, add the update that it is cancelled.",
} as const;
