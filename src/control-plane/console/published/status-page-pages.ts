import type { Ask } from "../ask.ts";
import { kindPages } from "../kind-pages.ts";
import type { ConsolePage } from "../visit.ts";
import { typedNames } from "./page-fields.ts";
import { allServices } from "./read-pages.ts";
import { afterStep } from "./status-page-cards.ts";
import { colorField, colorNames, themes } from "./status-page-colors.ts";
import { emptyStatusPage, type StatusPageDraft, statusPageBody, storedStatusPage, typedStatusPage } from "./status-page-draft.ts";
import { statusPageFields } from "./status-page-fields.ts";
import { statusPageFormPage } from "./status-page-form-page.ts";

/** Status pages are made and changed. */
export function statusPagePages(ask: Ask): readonly ConsolePage[] {
  return kindPages<"status-page", StatusPageDraft>(ask, {
    kind: "status-page",
    path: "/pages/status",
    after: (done, stored) => (stored === null ? `/pages?done=${listNews[done]}` : `/pages/status/${stored.id}?done=${done}`),
    page: async (visit, { stored: page, ...view }) => statusPageFormPage(visit, { page, services: await allServices(ask, visit), ...view }),
    blank: emptyStatusPage,
    drafted: storedStatusPage,
    typed: typedStatusPage,
    body: statusPageBody,
    fields: fieldNames,
    stepped: afterCardStep,
  });
}

const listNews = { created: "statusPageMade", changed: "", deleted: "statusPageDeleted" } as const;

/** Some buttons only change the cards. */
function afterCardStep(form: URLSearchParams, draft: StatusPageDraft): StatusPageDraft | undefined {
  const step = form.get("step");
  return step === null ? undefined : { ...draft, cards: afterStep(draft.cards, step) };
}

function fieldNames({ cards }: StatusPageDraft): readonly string[] {
  return [
    ...typedNames(statusPageFields),
    ...themes.flatMap((theme) => colorNames.map((name) => colorField(theme, name))),
    ...cards.flatMap((_, index) => [`cards[${index}].name`, `cards[${index}].services`]),
    "cards",
  ];
}
