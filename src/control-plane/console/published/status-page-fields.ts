import type { StatusPageWrite } from "#contract/status-pages/pages.ts";
import { statusPageFormTexts as texts } from "../../texts/status-page-form.ts";
import type { FieldSection, PageField } from "./page-fields.ts";

/** `version` has no effect: it stays as it was sent over REST. */
type FieldName = keyof Omit<StatusPageWrite, "cards" | "themeColors" | "version">;

const { labels, hints } = texts;

function fieldOf(kind: PageField["kind"], name: FieldName, more: Partial<PageField> = {}): PageField<FieldName> {
  return { kind, label: labels[name], ...more, name };
}

/** What a status page is called and where it is; its cards come next in the form. */
export const statusPageAbout: FieldSection<FieldName> = {
  title: texts.sections.about,
  fields: [
    fieldOf("text", "name", { isRequired: true }),
    fieldOf("prose", "description"),
    fieldOf("text", "url", { hint: hints.url, isRequired: true }),
    fieldOf("text", "customDomain", { hint: hints.customDomain }),
  ],
};

/** How it looks, but for its colours. */
export const statusPageLook: FieldSection<FieldName> = {
  title: texts.sections.look,
  fields: [
    fieldOf("text", "logo", { hint: hints.image }),
    fieldOf("text", "logoDark", { hint: hints.logoDark }),
    fieldOf("text", "redirectTo", { hint: hints.link }),
    fieldOf("text", "favicon", { hint: hints.image }),
    fieldOf("choice", "defaultTheme", { options: Object.entries(texts.themes) }),
  ],
};

export const statusPageFields: readonly PageField<FieldName>[] = [...statusPageAbout.fields, ...statusPageLook.fields];
