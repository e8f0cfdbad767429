import type { CheckRead } from "../check-types/check-type.ts";
import { namesIn } from "../edit/names-in.ts";
import { type BulkAct, type BulkActName, noGroup } from "./bulk-act.ts";

type Body = Readonly<Record<string, unknown>>;

interface Subscription {
  readonly alertChannelId: number;
  readonly activated: boolean;
}

/** How a location is chosen: its kind and its name in a check. */
export const placeFields = { own: "privateLocations", center: "locations" } as const;

/** The body of the update of a check by what it says itself; null: nothing changes, as where its group says it. */
export function updateBody({ name, value }: BulkAct, check: CheckRead): Body | null {
  const { activated, muted, tags } = check;
  const own = check as Body;
  const bodies: Partial<Record<BulkActName, () => Body | null>> = {
    pause: () => (activated ? { activated: false } : null),
    resume: () => (activated ? null : { activated: true }),
    unmute: () => (muted ? { muted: false } : null),
    tag: () => (tags.includes(value) ? null : { tags: [...tags, value] }),
    untag: () => (tags.includes(value) ? { tags: tags.filter((one) => one !== value) } : null),
    group: () => {
      const groupId = value === noGroup ? null : Number(value);
      return (own["groupId"] ?? null) === groupId ? null : { groupId };
    },
    frequency: () => frequencyBody(value, own),
    subscribe: () => channelBody(Number(value), true, check.alertChannelSubscriptions),
    unsubscribe: () => channelBody(Number(value), false, check.alertChannelSubscriptions),
    "add-location": () => placeBody(value, true, own),
    "remove-location": () => placeBody(value, false, own),
  };
  return bodies[name]?.() ?? null;
}

/** Minutes, or `0/` and seconds, as the form of checks names it. */
function frequencyBody(value: string, own: Body): Body | null {
  const [frequency = 0, frequencyOffset] = value.split("/").map(Number);
  const isSame = own["frequency"] === frequency && (frequencyOffset === undefined || own["frequencyOffset"] === frequencyOffset);
  return isSame ? null : { frequency, ...(frequencyOffset !== undefined && { frequencyOffset }) };
}

function channelBody(id: number, wanted: boolean, before: readonly Subscription[]): Body | null {
  const isOn = before.some(({ alertChannelId, activated }) => alertChannelId === id && activated);
  if (isOn === wanted) return null;
  const others = before.filter(({ alertChannelId }) => alertChannelId !== id);
  return { alertChannelSubscriptions: wanted ? [...others, { alertChannelId: id, activated: true }] : others };
}

/** `own/north` or `center/eu-west-1`. */
function placeBody(value: string, wanted: boolean, own: Body): Body | null {
  const [kind = "", ...rest] = value.split("/");
  const [name, field] = [rest.join("/"), kind === "own" ? placeFields.own : placeFields.center];
  const before = namesIn(own[field]);
  if (before.includes(name) === wanted) return null;
  return { [field]: wanted ? [...before, name] : before.filter((one) => one !== name) };
}
