import { commaList } from "#domain/comma-list.ts";
import { withChannels, withUnticked } from "../edit/channel-choices.ts";
import { placesIn } from "../edit/place-form.ts";
import { typed } from "../people/person-fields.ts";
import type { StoredGroup } from "./all-groups.ts";

/** What stands in the form of a group. */
export interface GroupDraft {
  readonly name: string;
  /** As they are typed. */
  readonly tags: string;
  readonly activated: boolean;
  readonly muted: boolean;
  readonly privateLocations: unknown;
  readonly locations: unknown;
  readonly alertChannelSubscriptions: unknown;
}

export function draftOf(group: StoredGroup): GroupDraft {
  const { name, tags, activated, muted, privateLocations, locations, alertChannelSubscriptions } = group;
  return { name, tags: tags.join(", "), activated, muted, privateLocations, locations, alertChannelSubscriptions };
}

export function typedDraft(form: URLSearchParams, stored: StoredGroup | null): GroupDraft {
  const { privateLocations, locations = stored?.locations ?? [] } = placesIn(form, { ...stored });
  const draft = {
    name: typed(form, "name"),
    tags: typed(form, "tags"),
    activated: form.has("activated"),
    muted: form.has("muted"),
    privateLocations,
    locations,
    alertChannelSubscriptions: stored?.alertChannelSubscriptions,
  };
  return withChannels(draft, form, stored?.alertChannelSubscriptions);
}

/**
 * The body of a creation or an update, which replaces the whole group: what the form does not show goes along as it was read. Tags that nobody
 * touched stay as they are, a comma in one of them, too.
 */
export function bodyOf(
  { tags, alertChannelSubscriptions, ...draft }: GroupDraft,
  stored: StoredGroup | null,
  form: URLSearchParams,
): object {
  const areTagsSame = stored !== null && tags === stored.tags.join(", ").trim();
  return {
    ...stored,
    ...draft,
    tags: areTagsSame ? stored.tags : commaList(tags),
    // A new group joins each channel that is not named: those that were left out are named as such.
    ...(alertChannelSubscriptions !== undefined && {
      alertChannelSubscriptions: stored === null ? withUnticked(alertChannelSubscriptions, form) : alertChannelSubscriptions,
    }),
  };
}
