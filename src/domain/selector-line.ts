import type { NamedElement } from "./selector-element.ts";

/** Of Playwright's messages: what was waited for and was not there, where it is one selector and no other way to find an element. */
export function selectorIn(message: string): string | null {
  const isMissing = /Timeout|not found/.test(message) && !message.includes("locator resolved to");
  const written = isMissing
    ? /(?:waiting for|^Locator:) +locator\('((?:\\.|[^'\\])*)'\)(?:\.first\(\))?(?: to be .*)?$/m.exec(message)?.[1]
    : undefined;
  const selector = written?.replace(/\\(.)/g, "$1");
  return selector === undefined || /^(?:xpath=|\/\/|internal:)|["']\s*>>|>>/.test(selector) ? null : selector;
}

/** Calls of a page or a frame that take a selector first. */
const acts =
  "click|dblclick|tap|fill|type|press|check|uncheck|setChecked|selectOption|hover|focus|textContent|innerText|inputValue|isVisible";

/** The line that has the selector, with the element in its place; null where no line has it once, or several have it. */
export function withElement(
  lines: readonly string[],
  line: number,
  selector: string,
  element: NamedElement,
): { readonly line: number; readonly before: string; readonly after: string } | null {
  const changed = lines.flatMap((before, index) => {
    const after = replaced(before, selector, element);
    return after === null ? [] : [{ line: index + 1, before, after }];
  });
  return changed.find((one) => one.line === line) ?? (changed.length === 1 ? (changed[0] ?? null) : null);
}

function replaced(line: string, selector: string, { role, name, needsExact }: NamedElement): string | null {
  for (const quote of ['"', "'", "`"]) {
    const written = `${quote}${selector.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`)}${quote}`;
    if (line.split(written).length !== 2) continue;
    const own = quote === "`" ? '"' : quote;
    const found = `getByRole(${own}${role}${own}, { name: ${own}${name}${own}${needsExact ? ", exact: true" : ""} })`;
    const at = line.indexOf(written);
    const [start, end] = [line.slice(0, at), line.slice(at + written.length)];
    if (start.endsWith(".locator(") && end.startsWith(")")) return `${start.slice(0, -"locator(".length)}${found}${end.slice(1)}`;
    const [call] = new RegExp(`\\.(?:${acts})\\($`).exec(start) ?? [];
    if (call !== undefined) return `${start.slice(0, -call.length)}.${found}${call}${end.replace(/^,\s*/, "")}`;
  }
  return null;
}
