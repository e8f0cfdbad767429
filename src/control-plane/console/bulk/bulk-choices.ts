import { listPrivateLocations } from "#contract/private-locations.ts";
import type { LocationStore } from "../../storage/storage.ts";
import { bulkTexts as texts } from "../../texts/bulk.ts";
import { checkFormTexts } from "../../texts/check-form.ts";
import type { Ask } from "../ask.ts";
import { channelChoices } from "../edit/channel-choices.ts";
import { allGroups } from "../groups/all-groups.ts";
import type { Visit } from "../visit.ts";
import { type BulkActName, type BulkChoices, noGroup } from "./bulk-act.ts";

export interface ChoiceDeps {
  readonly locations: Pick<LocationStore, "servedDataCenters">;
}

/** What the value of an act can be; null where it needs none, or any text. */
export async function choicesOf(ask: Ask, deps: ChoiceDeps, visit: Visit, name: BulkActName): Promise<BulkChoices | null> {
  const choices: Partial<Record<BulkActName, () => BulkChoices | Promise<BulkChoices>>> = {
    frequency: () => Object.entries(checkFormTexts.intervals),
    group: async () => {
      const groups = await allGroups(ask, visit);
      return [[noGroup, texts.noGroup], ...groups.map(({ id, name: group }) => [String(id), group] as const)];
    },
    subscribe: () => channels(ask, visit),
    unsubscribe: () => channels(ask, visit),
    "add-location": () => places(ask, deps, visit),
    "remove-location": () => places(ask, deps, visit),
  };
  return (await choices[name]?.()) ?? null;
}

async function channels(ask: Ask, visit: Visit): Promise<BulkChoices> {
  return (await channelChoices(ask, visit)).map(({ id, name }) => [String(id), name]);
}

async function places(ask: Ask, { locations }: ChoiceDeps, visit: Visit): Promise<BulkChoices> {
  const [own, centers] = await Promise.all([ask(visit, listPrivateLocations), locations.servedDataCenters()]);
  return [
    ...own.map(({ slugName, name }) => [`own/${slugName}`, name] as const),
    ...centers.map((code) => [`center/${code}`, code] as const),
  ];
}
