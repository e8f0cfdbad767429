import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Rules whose answer depends on the colours alone. */
export const colourRules = ["color-contrast", "link-in-text-block"];

/** What axe finds in the page as it is now, a line for each: best practices, too, and whatever it thinks of their weight. @param rules all of them unless told */
export async function axeProblems(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // It is given to the page from outside, so that the page's policy need not allow it.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(source);
  const options = {
    resultTypes: ["violations"],
    iframes: false,
    selectors: false,
    ...(rules !== undefined && { runOnly: { type: "rule", values: rules } }),
  };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 3).map(({ html, any }) => `${id}: ${help}: ${html.slice(0, 160)} ${any[0]?.message ?? ""}`),
  );
}
