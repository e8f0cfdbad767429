import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** Every English text of acts on many checks. */
export const bulkTexts = {
  label: "Act on several checks",
  act: "Action",
  acts: {
    pause: "Pause",
    resume: "Resume",
    "mute-1": "Mute 1 h",
    "mute-8": "Mute 8 h",
    "mute-24": "Mute 24 h",
    unmute: "Unmute",
    tag: "Add tag",
    untag: "Remove tag",
    delete: "Delete",
  },
  tag: "Tag to add or remove",
  chosen: "Preview for selected",
  matching: (count: number) => `Preview for all ${countText(count, "match", "matches")}`,
  pick: (name: string) => `Select ${name}`,

  title: (act: string) => `${act}: preview`,
  doneTitle: (act: string) => `${act}: done`,
  withTag: (act: string, tag: string) => `${act} “${tag}”`,
  noAct: (allowed: string, given: string) => `“act” must be one of ${allowed}; received “${given.slice(0, 100)}”`,
  noTag: (given: string) => `Enter a tag of 1 to 255 characters without a comma; received “${given.slice(0, 300)}”.`,
  nothing: "No checks are selected. Select some in the list, or choose all that match.",
  tooMany: (count: number, most: number) =>
    `${countText(count, "check")} match; at most ${most.toLocaleString("en-US")} can be changed at a time. Narrow the search.`,
  will: (count: number) => `${countText(count, "check")} will change.`,
  already: (count: number) => `${countText(count, "check")} of the selection ${count === 1 ? "is" : "are"} so already and will not change.`,
  more: (count: number) => `and ${count.toLocaleString("en-US")} more`,
  becomes: (name: Html, from: string, to: string) => html`${name}: ${from} → ${to}`,
  states: {
    active: "active",
    inactive: "inactive",
    muted: "muted",
    unmuted: "not muted",
    until: (hours: number) => `muted for ${hours} h`,
  },
  tags: (tags: string) => (tags === "" ? "no tags" : tags),
  deleted: "deleted with all of its results",
  exists: "exists",
  noUndo: "This cannot be undone.",
  confirm: (act: string, count: number) => `${act}: ${countText(count, "check")}`,
  back: "Back to the list",

  changed: (count: number) => `${countText(count, "check")} changed.`,
  unchanged: (count: number) => `${countText(count, "check")} had nothing to change.`,
  refused: (count: number) => `${countText(count, "check")} refused:`,
  left: (count: number) => `${countText(count, "check")} not reached yet: there are too many for one request.`,
  goOn: (count: number) => `Go on with ${countText(count, "check")}`,
  undo: (act: string, count: number) => `Undo (${act.toLowerCase()} ${countText(count, "check")})`,
} as const;
