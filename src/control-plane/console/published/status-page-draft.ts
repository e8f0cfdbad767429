import { type PageDraft, writtenFields } from "./page-fields.ts";
import type { StatusPageRead } from "./page-words.ts";
import { type CardDraft, cardsOf } from "./status-page-cards.ts";
import { type Colors, ourColors, typedColors } from "./status-page-colors.ts";
import { statusPageFields } from "./status-page-fields.ts";

/** What stands in the form of a status page: what is stored, or what was typed. */
export interface StatusPageDraft {
  readonly settings: PageDraft;
  readonly cards: readonly CardDraft[];
  readonly hasColors: boolean;
  readonly colors: Colors;
}

/** Of one that nobody made yet. */
export function emptyStatusPage(): StatusPageDraft {
  return { settings: { defaultTheme: "AUTO" }, cards: [], hasColors: false, colors: ourColors };
}

export function storedStatusPage({ cards, themeColors, ...settings }: StatusPageRead): StatusPageDraft {
  return {
    settings,
    cards: cards.map(({ id, name, services }) => ({ id, name, serviceIds: services.map((service) => service.id) })),
    hasColors: themeColors !== null,
    colors: themeColors ?? ourColors,
  };
}

export function typedStatusPage(form: URLSearchParams): StatusPageDraft {
  return {
    settings: writtenFields(statusPageFields, form),
    cards: cardsOf(form),
    hasColors: form.has("hasColors"),
    colors: typedColors(form),
  };
}

/** The body that creates or replaces a page. What the form does not show stays. */
export function statusPageBody({ settings, cards, hasColors, colors }: StatusPageDraft, before: StatusPageRead | null): object {
  return {
    ...settings,
    themeColors: hasColors ? colors : null,
    version: before?.version ?? null,
    cards: cards.map(({ id, name, serviceIds }) => ({
      ...(id !== "" && { id }),
      name,
      services: serviceIds.map((serviceId) => ({ id: serviceId })),
    })),
  };
}
