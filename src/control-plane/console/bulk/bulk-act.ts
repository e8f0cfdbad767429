import { AppError } from "#domain/app-error.ts";
import { type MuteHours, mutedNow } from "#domain/muted-for.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { bulkTexts as texts } from "../../texts/bulk.ts";

/** What can be done with many checks at once; `tag` is empty where the act needs none. */
export interface BulkAct {
  readonly name: BulkActName;
  readonly tag: string;
}

export type BulkActName = keyof typeof texts.acts;

export const bulkActNames = Object.keys(texts.acts) as readonly BulkActName[];

/** One page of them would be too long to look at, and one form too large to send. */
export const maxBulk = 10_000;

/** As the list's form, or that of a preview, says it. @throws {AppError} invalid_input */
export function bulkActOf(form: URLSearchParams): BulkAct {
  const given = form.get("act") ?? "";
  const name = bulkActNames.find((one) => one === given);
  if (name === undefined) throw new AppError("invalid_input", texts.noAct(bulkActNames.join(", "), given));
  if (name !== "tag" && name !== "untag") return { name, tag: "" };
  const tag = (form.get("tagName") ?? "").trim();
  // The forms of checks have their tags between commas.
  if (tag === "" || tag.length > 255 || tag.includes(",")) throw new AppError("invalid_input", texts.noTag(tag));
  return { name, tag };
}

export function hoursOf({ name }: BulkAct): MuteHours | null {
  const hours = { "mute-1": 1, "mute-8": 8, "mute-24": 24 } as const;
  return Object.entries(hours).find(([one]) => one === name)?.[1] ?? null;
}

/** What takes an act back for the checks that it changed; null: nothing does. */
export function undoOf(act: BulkAct): BulkAct | null {
  if (hoursOf(act) !== null) return { name: "unmute", tag: "" };
  const undone: Partial<Record<BulkActName, BulkActName>> = { pause: "resume", resume: "pause", tag: "untag", untag: "tag" };
  const name = undone[act.name];
  return name === undefined ? null : { ...act, name };
}

/** What an act would make of a check, in words; null: it is so already. */
export function changeOf(act: BulkAct, check: IndexedCheck, nowMs: number): readonly [from: string, to: string] | null {
  const { activated, tags } = check;
  const { active, inactive, muted, unmuted, until } = texts.states;
  const mute = mutedNow(check, nowMs);
  const hours = hoursOf(act);
  if (hours !== null) return mute === "always" ? null : [mute === null ? unmuted : muted, until(hours)];
  const has = tags.includes(act.tag);
  const tagged = (after: readonly string[]) => [texts.tags(tags.join(", ")), texts.tags(after.join(", "))] as const;
  const changes: Readonly<Record<string, () => readonly [string, string] | null>> = {
    pause: () => (activated ? [active, inactive] : null),
    resume: () => (activated ? null : [inactive, active]),
    unmute: () => (mute === null ? null : [muted, unmuted]),
    tag: () => (has ? null : tagged([...tags, act.tag])),
    untag: () => (has ? tagged(tags.filter((one) => one !== act.tag)) : null),
    delete: () => [texts.exists, texts.deleted],
  };
  return changes[act.name]?.() ?? null;
}

interface OwnSettings {
  readonly activated: boolean;
  readonly muted: boolean;
  readonly tags: readonly string[];
}

/** The body of the update of a check by what it says itself; null: nothing changes, as where its group says it. */
export function updateBody({ name, tag }: BulkAct, { activated, muted, tags }: OwnSettings): Partial<OwnSettings> | null {
  if (name === "pause") return activated ? { activated: false } : null;
  if (name === "resume") return activated ? null : { activated: true };
  if (name === "unmute") return muted ? { muted: false } : null;
  if (name === "tag") return tags.includes(tag) ? null : { tags: [...tags, tag] };
  return tags.includes(tag) ? { tags: tags.filter((one) => one !== tag) } : null;
}
