import type { PlaywrightError, ScriptSuggestion } from "#contract/checks/playwright-run.ts";
import { likeness } from "./likeness.ts";
import { type PageElement, pageElements } from "./page-elements.ts";
import { elementFor } from "./selector-element.ts";
import { selectorIn, withElement } from "./selector-line.ts";

/** What failed, and the page as it was then. */
export interface FailedTest extends Pick<PlaywrightError, "message" | "location"> {
  /** As Playwright writes it down; null where there was no page. */
  readonly page: string | null;
}

/** A text of the script that could be another one. */
interface Replacement {
  readonly category: ScriptSuggestion["category"];
  readonly summary: string;
  readonly from: string;
  readonly to: string;
  /** What stands in the lines that are meant. */
  readonly beside: RegExp;
}

const [mostSuggestions, longestText, longestLine] = [5, 200, 500];
/**
 * What may be taken from a page into a script. It comes to stand between the quotes of a text that is there already: without quotes, brackets of templates,
 * backslashes, slashes and line ends it can end neither that text nor anything else that could be around it.
 */
const harmless = /^[\p{L}\p{M}\p{N} .,:;!?()&%+#@_–—-]+$/u;
/** So much alike are two texts of which one may have become the other, and so much less any third one. */
const [leastLikeness, margin] = [0.4, 0.15];

/**
 * What could be changed in a script for what failed: the name of an element that is called otherwise now, an expected text that has become a similar one. By
 * what the run saw alone; whether the page or the script is right, people have to say.
 *
 * @param script as its author wrote it @param isClean whether a text may be shown: it holds no secret
 */
export function scriptSuggestions(
  { script, scriptPath }: { readonly script: string; readonly scriptPath: string },
  failed: readonly FailedTest[],
  isClean: (text: string) => boolean,
): ScriptSuggestion[] {
  const lines = script.split("\n");
  const found = failed.flatMap(({ message, location, page }): ScriptSuggestion[] => {
    if (location === null || location.file !== scriptPath) return [];
    const element = otherElement(message, page, { lines, line: location.line, file: scriptPath }, isClean);
    if (element !== null) return [element];
    const wish = otherName(message, page) ?? otherText(message);
    if (wish === null || !isUsable(wish.to) || !isClean(wish.to)) return [];
    const line = lineOf(lines, location.line, wish);
    const before = lines[line - 1] ?? "";
    const after = replaced(before, wish);
    const { category, summary } = wish;
    return after === null || before.length > longestLine ? [] : [{ category, summary, file: scriptPath, line, before, after }];
  });
  return [...new Map(found.map((one) => [one.line, one])).values()].slice(0, mostSuggestions);
}

/** A selector of CSS that leads nowhere, and the element whose name says the same. */
function otherElement(
  message: string,
  page: string | null,
  { lines, line, file }: { readonly lines: readonly string[]; readonly line: number; readonly file: string },
  isClean: (text: string) => boolean,
): ScriptSuggestion | null {
  const selector = selectorIn(message);
  const element = page === null || selector === null ? null : elementFor(selector, page);
  if (selector === null || element === null || !isUsable(element.name) || !isClean(element.name)) return null;
  const changed = withElement(lines, line, selector, element);
  if (changed === null || changed.before.length > longestLine) return null;
  const { role, name } = element;
  const summary = `The page had nothing at “${selector.slice(0, longestText)}”, but one ${role} “${name}”.`;
  return { category: "selector", summary, file, ...changed };
}

/** Whether a text of a page may come into a script. */
export function isUsable(text: string): boolean {
  return text.length <= longestText && harmless.test(text);
}

/** Roles that `getByLabel` finds, as pages have them. */
const fields: ReadonlySet<string> = new Set(["textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton", "slider", "switch"]);
const locators = /getBy(Role|Label|Text)\('((?:\\.|[^'\\])*)'(?:, \{([^}]*)\})?\)/g;

/** An element that is not there, and the one that is most like it. */
function otherName(message: string, page: string | null): Replacement | null {
  const asked = askedOf(message);
  if (page === null || asked === null) return null;
  const { role, name } = asked;
  const isMeant = (one: PageElement): boolean => role === null || (role === "field" ? fields.has(one.role) : role === one.role);
  const names = new Set(pageElements(page).flatMap((one) => (isMeant(one) ? one.name : [])));
  const to = names.has(name) ? null : mostLike(name, [...names]);
  if (to === null) return null;
  const summary = `The page had no ${role ?? "element"} “${name}”, but one that is called “${to}”.`;
  return { category: "selector", summary, from: name, to, beside: /getBy|locator/ };
}

/** Which element was waited for and never there; null where that is not known. Its role is `field` for any that has a label, and null for any at all. */
function askedOf(message: string): { readonly role: string | null; readonly name: string } | null {
  const isMissing = /Timeout|not found/.test(message) && !message.includes("locator resolved to");
  const written = isMissing ? /(?:waiting for|^Locator:) +(.+)/m.exec(message)?.[1] : undefined;
  const last = [...(written ?? "").matchAll(locators)].at(-1);
  if (last === undefined) return null;
  const [, way, first = "", options = ""] = last;
  if (way !== "Role") return { role: way === "Label" ? "field" : null, name: first };
  const name = /\bname: '((?:\\.|[^'\\])*)'/.exec(options)?.[1];
  return name === undefined ? null : { role: first, name };
}

/** A text, or a number that is no status of HTTP, that was expected and is similar now. */
function otherText(message: string): Replacement | null {
  const from = valueAfter("Expected", message);
  const to = valueAfter("Received", message);
  if (from === null || to === null || from === to || typeof from !== typeof to) return null;
  const isAlike = typeof from === "string" ? likeness(from, `${to}`) >= leastLikeness : ![from, to].every((one) => isStatus(Number(one)));
  if (!isAlike) return null;
  const summary = `It was “${to}”, where “${from}” is expected.`;
  return { category: "assertion", summary, from: `${from}`, to: `${to}`, beside: /\.to[A-Z]\w*\(/ };
}

function isStatus(value: number): boolean {
  return value >= 100 && value <= 599;
}

/** As Playwright writes values: texts in quotes, numbers. */
function valueAfter(word: "Expected" | "Received", message: string): string | number | null {
  const written = new RegExp(`^${word}(?: string| substring)?: +(".*"|-?\\d+(?:\\.\\d+)?)$`, "m").exec(message)?.[1];
  if (written === undefined) return null;
  return written.startsWith('"') ? written.slice(1, -1) : Number(written);
}

function mostLike(name: string, others: readonly string[]): string | null {
  const rated = others.map((other) => ({ other, rate: likeness(name, other) })).toSorted((a, b) => b.rate - a.rate);
  const [best, second] = rated;
  return best !== undefined && best.rate >= leastLikeness && best.rate - (second?.rate ?? 0) >= margin ? best.other : null;
}

/** The line of the error, or the only one of the script that has the text where such a text is meant; 0: none. */
function lineOf(lines: readonly string[], line: number, wish: Replacement): number {
  const holds = (text: string | undefined): boolean => text !== undefined && wish.beside.test(text) && replaced(text, wish) !== null;
  if (holds(lines[line - 1])) return line;
  const all = lines.flatMap((text, index) => (holds(text) ? index + 1 : []));
  return all.length === 1 ? (all[0] ?? 0) : 0;
}

/** The line with the other text; null where it has the first one not exactly once. */
function replaced(line: string, { from, to, category }: Replacement): string | null {
  const isNumber = category === "assertion" && /^-?[\d.]+$/.test(from) && /^-?[\d.]+$/.test(to);
  const forms = isNumber ? [`(${from})`] : [`"${from}"`, `'${from}'`];
  const [form = "", ...others] = forms.filter((one) => line.includes(one));
  if (form === "" || others.length > 0 || line.split(form).length !== 2) return null;
  const [open = "", close = ""] = [form.at(0), form.at(-1)];
  return line.replace(form, () => `${open}${to}${close}`);
}
