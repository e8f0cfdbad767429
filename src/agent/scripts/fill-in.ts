import { type CheckType, checkTypes, type SettingsOf } from "#contract/checks/index.ts";
import { tellIssue } from "#contract/issue-sentences.ts";
import { AppError } from "#domain/app-error.ts";
import { renderSettings } from "#domain/templates/render-settings.ts";
import { renderText } from "#domain/templates/render-text.ts";
import type { TemplateContext } from "#domain/templates/template-context.ts";
import { templateNames } from "#domain/templates/template-names.ts";
import { hasTemplates } from "#domain/templates/template-tags.ts";
import type { Checked } from "./checked.ts";
import type { Variables } from "./run-variables.ts";

/** What is sent, with its templates filled in. */
export interface Filled<T extends CheckType> {
  readonly settings: SettingsOf<T>;
  readonly proxyUrl: string | null;
  /** Names that no variable has; their templates stay as they are. */
  readonly unknown: readonly string[];
}

/** Fills the templates of a check and of its location's proxy. What came out must be what the check type takes. */
export function fillIn<T extends CheckType>(
  type: T,
  settings: SettingsOf<T>,
  proxyUrl: string | null,
  variables: Variables,
  sources: Omit<TemplateContext, "variables">,
): Checked<Filled<T>> {
  try {
    const { context, unknown: inGroupUrl } = withGroupUrl({ ...sources, variables }, [settings, proxyUrl]);
    const rendered = renderSettings(type, settings, context);
    const proxy = proxyUrl === null ? null : renderText(proxyUrl, context, "url");
    const checked = rendered.settings === settings ? { value: settings } : checkedAgain(type, rendered.settings);
    if ("problem" in checked) return checked;
    const unknown = [...new Set([...inGroupUrl, ...rendered.unknown, ...(proxy?.unknown ?? [])])];
    return { value: { settings: checked.value, proxyUrl: proxy?.text ?? null, unknown } };
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
}

/** The location's proxy for scripts that run before the request is made: filled with the variables as they are then. */
export function proxyFrom(proxyUrl: string | null, variables: Variables, sources: Omit<TemplateContext, "variables">): string | null {
  return proxyUrl === null ? null : renderText(proxyUrl, { ...sources, variables }, "url").text;
}

/** The URL of a group is a template too, as it stands in the place of a URL. @param templates what it may be asked for in */
function withGroupUrl(
  context: TemplateContext,
  templates: unknown,
): { readonly context: TemplateContext; readonly unknown: readonly string[] } {
  const url = context.variables["GROUP_BASE_URL"];
  if (url === undefined || !hasTemplates(url) || !templateNames(templates).has("GROUP_BASE_URL")) return { context, unknown: [] };
  const { text, unknown } = renderText(url, context, "url");
  return { context: { ...context, variables: { ...context.variables, GROUP_BASE_URL: text } }, unknown };
}

/** The schema that it was read with reads its own output unchanged. */
function checkedAgain<T extends CheckType>(type: T, settings: SettingsOf<T>): Checked<SettingsOf<T>> {
  const parsed = checkTypes[type].settings.safeParse(settings, { reportInput: true });
  if (parsed.success) return { value: parsed.data as SettingsOf<T> }; // the type names its schema
  const [issue] = parsed.error.issues;
  if (issue === undefined) return { problem: "the settings are not of an allowed form" };
  const { path, message } = tellIssue(issue, () => true); // a value may be a secret
  return { problem: `${path} ${message}` };
}
