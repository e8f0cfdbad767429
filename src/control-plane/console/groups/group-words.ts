import { groupTexts as texts } from "../../texts/groups.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { addressOf, filterOf, type states } from "../overview/filter.ts";
import { stateInListTones } from "../overview/list-parts.ts";
import type { StoredGroup } from "./all-groups.ts";
import type { RollUp } from "./roll-up.ts";

/** What ids and slug names of an account are called. */
export interface Names {
  readonly locations: ReadonlyMap<string, string>;
  readonly channels: ReadonlyMap<number, string>;
}

export function worstLabel({ worst }: RollUp): Html {
  return worst === null ? stateLabel("none", texts.empty) : stateLabel(stateInListTones[worst], texts.worst[worst]);
}

/** `2 failing · 10 passing · 1 muted`, each state a link to those checks in the list. */
export function sums({ counts, muted }: RollUp, groupName: string): Html {
  const none = filterOf(new URLSearchParams());
  const ofState = (state: (typeof states)[number], count: number): Html =>
    html`<a class="${stateInListTones[state]}" href="${addressOf(none, { group: groupName, state })}">${texts.counts(count, texts.states[state])}</a>`;
  const linked = Object.keys(texts.states).flatMap((name) => {
    const state = name as (typeof states)[number]; // the names of the texts are the states
    const count = counts.get(state) ?? 0;
    return count === 0 ? [] : [ofState(state, count)];
  });
  return html`${linked}${muted > 0 && html`<span>${texts.counts(muted, texts.muted)}</span>`}`;
}

/** Where a group's checks run, where it says so. */
export function placesOfGroup({ privateLocations, locations }: StoredGroup, names: Names): readonly string[] {
  return [...(privateLocations ?? []).map((slug) => names.locations.get(slug) ?? slug), ...(locations ?? [])];
}

/** Names of channels that its checks alert. */
export function channelsOfGroup({ alertChannelSubscriptions }: StoredGroup, names: Names): readonly string[] {
  return alertChannelSubscriptions.flatMap(({ alertChannelId, activated }) =>
    activated ? (names.channels.get(alertChannelId) ?? []) : [],
  );
}
