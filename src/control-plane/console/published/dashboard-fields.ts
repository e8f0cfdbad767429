import type { Dashboard } from "#contract/dashboards.ts";
import { DashboardCreate } from "#contract/dashboards.ts";

type DashboardBody = Omit<Dashboard, "id" | "dashboardId" | "created_at" | "keys">;

/** A part of a dashboard, as its form asks for it. */
export interface DashboardField {
  /** As the body has it. */
  readonly name: keyof DashboardBody;
  readonly label: string;
  /** `tags`: between commas. `rate`: one of some numbers. */
  readonly kind: "text" | "prose" | "css" | "tags" | "flag" | "number" | "choice" | "rate";
  readonly hint?: string;
  /** Of `choice` and `rate`. */
  readonly options?: readonly (readonly [value: string, text: string])[];
}

interface FieldSection {
  readonly title: string;
  readonly fields: readonly DashboardField[];
}

const flag = (name: keyof DashboardBody, label: string): DashboardField => ({ name, label, kind: "flag" });

/** Every field of a dashboard but its keys, which have a section of their own. */
export const dashboardSections: readonly FieldSection[] = [
  {
    title: "At the top",
    fields: [
      { name: "header", label: "Header", kind: "text" },
      { name: "description", label: "Description", kind: "prose" },
      flag("showHeader", "Show header and description"),
      { name: "logo", label: "Logo", kind: "text", hint: "Address of an image over https." },
      { name: "link", label: "Where the logo leads", kind: "text", hint: "https://…" },
      { name: "favicon", label: "Icon of the tab", kind: "text", hint: "Address of an image over https." },
    ],
  },
  {
    title: "Which checks",
    fields: [
      { name: "tags", label: "Tags", kind: "tags", hint: "Between commas. Empty: all checks." },
      flag("useTagsAndOperator", "Only checks that carry all of the tags"),
      flag("sortByStatus", "Failing checks first"),
    ],
  },
  {
    title: "What it tells of them",
    fields: [
      flag("showGroupNames", "Names of groups"),
      flag("hideTags", "Hide tags"),
      flag("showP95", "P95"),
      flag("showP99", "P99"),
      flag("expandChecks", "The chart of each check"),
      flag("showCheckRunLinks", "Links to runs"),
      flag("enableIncidents", "Incidents"),
    ],
  },
  {
    title: "Pages",
    fields: [
      {
        name: "width",
        label: "Width",
        kind: "choice",
        options: [
          ["FULL", "Full"],
          ["960PX", "960 pixels, in the middle"],
        ],
      },
      { name: "checksPerPage", label: "Checks of a page", kind: "number", hint: "1 to 20. Empty: 15." },
      flag("paginate", "Go on to the next page by itself"),
      {
        name: "paginationRate",
        label: "After",
        kind: "rate",
        options: [
          ["30", "30 seconds"],
          ["60", "1 minute"],
          ["300", "5 minutes"],
        ],
      },
      {
        name: "refreshRate",
        label: "Ask for news every",
        kind: "rate",
        options: [
          ["60", "1 minute"],
          ["300", "5 minutes"],
          ["600", "10 minutes"],
        ],
      },
      { name: "customCSS", label: "An own stylesheet", kind: "css", hint: "After ours. It loads nothing from elsewhere." },
    ],
  },
  {
    title: "Where it is",
    fields: [
      { name: "customUrl", label: "Name in the address", kind: "text", hint: "/dashboards/name; letters, digits and hyphens." },
      { name: "customDomain", label: "A domain of your own", kind: "text", hint: "status.example.com" },
      flag("isPrivate", "Private: only who has a key of it sees it"),
    ],
  },
];

export const dashboardFields: readonly DashboardField[] = dashboardSections.flatMap(({ fields }) => fields);

/** What stands in the fields: a dashboard, or what was typed of one. */
export type DashboardDraft = Readonly<Record<string, unknown>>;

/** Of one that nobody made yet. */
export function emptyDashboard(): DashboardDraft {
  return DashboardCreate.parse({ header: null });
}

/** The body from what was typed. Whatever is no number stays as it was typed, so that the operation tells what it wants there. */
export function writtenDashboard(form: URLSearchParams): DashboardDraft {
  return Object.fromEntries(dashboardFields.map((field) => [field.name, valueOf(field, form)]));
}

function valueOf({ name, kind }: DashboardField, form: URLSearchParams): unknown {
  if (kind === "flag") return form.has(name);
  const text = (form.get(name) ?? "").replaceAll("\r\n", "\n");
  const trimmed = text.trim();
  if (kind === "tags") return trimmed.split(",").flatMap((tag) => tag.trim() || []);
  if (kind === "css") return text;
  if (kind === "choice") return trimmed;
  if (kind === "number" || kind === "rate") return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed || null;
  return trimmed || null;
}
