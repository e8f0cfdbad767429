/** An element of a page as people with a screen reader have it. */
export interface PageElement {
  readonly role: string;
  readonly name: string;
  /** It is of a page within the page, where a locator of the outer one does not look. */
  readonly isFramed: boolean;
}

const mostElements = 500;

/** Whether what is written down is the whole page, so that what stands in it once is there once. */
export function isWholePage(snapshot: string): boolean {
  const fences = snapshot.match(/^```/gm)?.length ?? 0;
  return fences % 2 === 0 && pageElements(snapshot).length < mostElements;
}

/** Elements with a name, of what Playwright writes down of a page where a test fails: lines of YAML such as `- link "Log in" [ref=e3]:`. */
export function pageElements(snapshot: string): readonly PageElement[] {
  const found: PageElement[] = [];
  for (const line of snapshot.split("\n")) {
    const [, role, name] = /^\s*- ([a-z]+) ("(?:\\.|[^"\\])*")/.exec(unquoted(line)) ?? [];
    const text = name === undefined ? null : textOf(name);
    if (role !== undefined && text !== null && text !== "") found.push({ role, name: text, isFramed: /\[ref=f\d/.test(line) });
    if (found.length === mostElements) break;
  }
  return found;
}

/** A key that holds signs of YAML stands in quotes of its own. */
function unquoted(line: string): string {
  const [, start, key] = /^(\s*- )'((?:[^']|'')*)'/.exec(line) ?? [];
  return start === undefined || key === undefined ? line : `${start}${key.replaceAll("''", "'")}`;
}

function textOf(written: string): string | null {
  try {
    return String(JSON.parse(written));
  } catch {
    return null;
  }
}
