import type { TemplateContext } from "#domain/templates/template-context.ts";

/** A Saturday, in a year's 9th week by either count. */
export const nowMs = Date.parse("2026-02-28T17:05:09.042Z");

export function context(variables: Readonly<Record<string, string>>): TemplateContext {
  return { variables, nowMs, random: () => 0.5, uuid: () => "00000000-0000-4000-8000-000000000000" };
}
