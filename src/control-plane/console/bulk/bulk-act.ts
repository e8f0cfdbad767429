import { isPinged } from "#contract/checks/traits.ts";
import { AppError } from "#domain/app-error.ts";
import { type MuteHours, mutedNow } from "#domain/muted-for.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { bulkTexts as texts } from "../../texts/bulk.ts";

/** What can be done with many checks at once. */
export interface BulkAct {
  readonly name: BulkActName;
  /** A tag, or one of the choices of the act; empty where it needs none. */
  readonly value: string;
  /** The same for people. */
  readonly text: string;
}

/** The choice that leaves the group. */
export const noGroup = "none";

export type BulkChoices = readonly (readonly [value: string, text: string])[];

export type BulkActName = keyof typeof texts.acts;

export const bulkActNames = Object.keys(texts.acts) as readonly BulkActName[];

export const longestTag = 255;

/** One page of them would be too long to look at, and one form too large to send. */
export const maxBulk = 10_000;

/** As the list's form, or that of a preview, says it. @throws {AppError} invalid_input */
export function bulkActNameOf(form: URLSearchParams): BulkActName {
  const given = form.get("act") ?? "";
  const name = bulkActNames.find((one) => one === given);
  if (name === undefined) throw new AppError("invalid_input", texts.noAct(bulkActNames.join(", "), given));
  return name;
}

/** @param choices of an act whose value is one of them; null: it has none @throws {AppError} invalid_input */
export function bulkActOf(form: URLSearchParams, choices: BulkChoices | null): BulkAct {
  const name = bulkActNameOf(form);
  const value = (form.get("value") ?? "").trim();
  if (choices !== null) {
    const chosen = choices.find(([one]) => one === value);
    if (chosen === undefined) throw new AppError("invalid_input", texts.noChoice(texts.acts[name], value));
    return { name, value, text: chosen[1] };
  }
  if (!isOfTag(name)) return { name, value: "", text: "" };
  if (!isTag(value)) throw new AppError("invalid_input", texts.noTag);
  return { name, value, text: value };
}

export function isOfTag(name: BulkActName): boolean {
  return name === "tag" || name === "untag";
}

/** The forms of checks have their tags between commas. */
export function isTag(value: string): boolean {
  return value !== "" && value.length <= longestTag && !value.includes(",");
}

export function hoursOf({ name }: BulkAct): MuteHours | null {
  const hours = { "mute-1": 1, "mute-8": 8, "mute-24": 24 } as const;
  return Object.entries(hours).find(([one]) => one === name)?.[1] ?? null;
}

/** What takes an act back for the checks that it changed; null: nothing does. */
export function undoOf(act: BulkAct): BulkAct | null {
  if (hoursOf(act) !== null) return { name: "unmute", value: "", text: "" };
  const pairs = [
    ["pause", "resume"],
    ["tag", "untag"],
    ["subscribe", "unsubscribe"],
    ["add-location", "remove-location"],
  ] as const;
  const undone = new Map<BulkActName, BulkActName>(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));
  const name = undone.get(act.name);
  return name === undefined ? null : { ...act, name };
}

type Change = readonly [from: string, to: string];

/** What an act would make of a check, in words; null: it is so already. */
export function changeOf(act: BulkAct, check: IndexedCheck, nowMs: number): Change | null {
  const { activated, tags, groupName } = check;
  const { active, inactive, muted, unmuted, until } = texts.states;
  const mute = mutedNow(check, nowMs);
  const has = tags.includes(act.value);
  const muteFor = (hours: MuteHours): Change | null => (mute === "always" ? null : [mute === null ? unmuted : muted, until(hours)]);
  const tagged = (after: readonly string[]): Change => [texts.tags(tags.join(", ")), texts.tags(after.join(", "))];
  // No part of what lists know: what it would not change is left as it is.
  const set = (): Change => ["", `${texts.acts[act.name]} “${act.text}”`];
  const setOfRuns = (): Change | null => (isPinged(check.type) ? null : set());
  const changes: Readonly<Record<BulkActName, () => Change | null>> = {
    pause: () => (activated ? [active, inactive] : null),
    resume: () => (activated ? null : [inactive, active]),
    "mute-1": () => muteFor(1),
    "mute-8": () => muteFor(8),
    "mute-24": () => muteFor(24),
    unmute: () => (mute === null ? null : [muted, unmuted]),
    tag: () => (has ? null : tagged([...tags, act.value])),
    untag: () => (has ? tagged(tags.filter((one) => one !== act.value)) : null),
    group: () => (groupName === (act.value === noGroup ? null : act.text) ? null : [groupName ?? texts.noGroup, act.text]),
    frequency: setOfRuns,
    subscribe: set,
    unsubscribe: set,
    "add-location": setOfRuns,
    "remove-location": setOfRuns,
    delete: () => [texts.exists, texts.deleted],
  };
  return changes[act.name]();
}
