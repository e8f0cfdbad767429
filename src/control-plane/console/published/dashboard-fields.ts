import type { Dashboard } from "#contract/dashboards.ts";
import { DashboardCreate } from "#contract/dashboards.ts";
import { dashboardFormTexts as texts } from "../../texts/dashboard-form.ts";
import type { FieldSection, PageDraft, PageField } from "./page-fields.ts";

type FieldName = keyof Omit<Dashboard, "id" | "dashboardId" | "created_at" | "keys">;

const { labels, hints } = texts;

function fieldOf(kind: PageField["kind"], name: FieldName, more: Pick<PageField, "hint" | "options"> = {}): PageField<FieldName> {
  return { kind, name, label: labels[name], ...more };
}

/** Every field of a dashboard but its keys, which have a section of their own. */
export const dashboardSections: readonly FieldSection<FieldName>[] = [
  {
    title: texts.sections.top,
    fields: [
      fieldOf("text", "header"),
      fieldOf("prose", "description"),
      fieldOf("flag", "showHeader"),
      fieldOf("text", "logo", { hint: hints.image }),
      fieldOf("text", "link", { hint: hints.link }),
      fieldOf("text", "favicon", { hint: hints.image }),
    ],
  },
  {
    title: texts.sections.checks,
    fields: [fieldOf("tags", "tags", { hint: hints.tags }), fieldOf("flag", "useTagsAndOperator"), fieldOf("flag", "sortByStatus")],
  },
  {
    title: texts.sections.told,
    fields: [
      fieldOf("flag", "showGroupNames"),
      fieldOf("flag", "hideTags"),
      fieldOf("flag", "showP95"),
      fieldOf("flag", "showP99"),
      fieldOf("flag", "expandChecks"),
      fieldOf("flag", "showCheckRunLinks"),
      fieldOf("flag", "enableIncidents"),
    ],
  },
  {
    title: texts.sections.pages,
    fields: [
      fieldOf("choice", "width", { options: Object.entries(texts.widths) }),
      fieldOf("number", "checksPerPage", { hint: hints.checksPerPage }),
      fieldOf("flag", "paginate"),
      fieldOf("rate", "paginationRate", { options: Object.entries(texts.paginationRates) }),
      fieldOf("rate", "refreshRate", { options: Object.entries(texts.refreshRates) }),
      fieldOf("css", "customCSS", { hint: hints.customCSS }),
    ],
  },
  {
    title: texts.sections.address,
    fields: [
      fieldOf("text", "customUrl", { hint: hints.customUrl }),
      fieldOf("text", "customDomain", { hint: hints.customDomain }),
      fieldOf("flag", "isPrivate"),
    ],
  },
];

export const dashboardFields: readonly PageField<FieldName>[] = dashboardSections.flatMap(({ fields }) => fields);

/** Of one that nobody made yet. */
export function emptyDashboard(): PageDraft {
  return DashboardCreate.parse({ header: null });
}
