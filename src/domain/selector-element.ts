import { likeness } from "./likeness.ts";
import { isWholePage, type PageElement, pageElements } from "./page-elements.ts";

/** An element of a page that a role and a name lead to, and to no other. */
export interface NamedElement extends Pick<PageElement, "role" | "name"> {
  /** Others have the name in theirs. */
  readonly needsExact: boolean;
}

/** What `getByRole` takes; whatever else a page calls itself never comes into a script. */
const roles: ReadonlySet<string> = new Set(
  "button link checkbox radio tab menuitem menuitemcheckbox menuitemradio option switch textbox searchbox combobox spinbutton slider heading img".split(
    " ",
  ),
);

/** Null where the page has it not, or more than once, or where not all of the page is known. */
export function onlyElement(page: string, role: string, name: string): NamedElement | null {
  if (!roles.has(role) || !isWholePage(page)) return null;
  const same = pageElements(page).filter((one) => one.role === role && !one.isFramed);
  const exact = same.filter((one) => one.name === name);
  if (exact.length !== 1) return null;
  const alike = same.filter((one) => one.name.toLowerCase().includes(name.toLowerCase()));
  return { role, name, needsExact: alike.length > 1 };
}

/** Those of a page that one could name, each as often as it is there. */
export function namedElements(page: string): readonly PageElement[] {
  return pageElements(page).filter(({ role, isFramed }) => roles.has(role) && !isFramed);
}

/** Whether an element of this role can be what the selector meant, by the tag in it. */
export function mayBe(selector: string, role: string): boolean {
  const { tags } = partsOf(selector);
  return tags === null || tags.includes(role);
}

/** So much alike is a word of a selector to the name of its element, and so much less to any other. */
const [leastLikeness, margin, shortest] = [0.6, 0.15, 3];

/**
 * What a selector of CSS meant that is not on the page any more: the one element whose name its words say, of a role that its tag may have. By names alone,
 * as pages are kept without their ids and classes.
 */
export function elementFor(selector: string, page: string): NamedElement | null {
  const { tags, words } = partsOf(selector);
  const candidates = namedElements(page).filter(({ role }) => tags === null || tags.includes(role));
  const rated = candidates.map((one) => ({ ...one, rate: Math.max(0, ...words.map((word) => likeness(word, squeezed(one.name)))) }));
  const [best, second] = rated.toSorted((a, b) => b.rate - a.rate);
  if (best === undefined || best.rate < leastLikeness || best.rate - (second?.rate ?? 0) < margin) return null;
  return onlyElement(page, best.role, best.name);
}

const rolesOfTags: Readonly<Record<string, readonly string[]>> = {
  a: ["link", "button", "tab", "menuitem"],
  button: ["button", "tab", "switch", "menuitem", "link"],
  input: ["textbox", "searchbox", "checkbox", "radio", "combobox", "spinbutton", "slider", "button", "switch"],
  textarea: ["textbox"],
  select: ["combobox"],
  option: ["option"],
  img: ["img"],
  h1: ["heading"],
  h2: ["heading"],
  h3: ["heading"],
  h4: ["heading"],
};

/** Of its last part: what stands before leads there. */
function partsOf(selector: string): { readonly tags: readonly string[] | null; readonly words: readonly string[] } {
  const [, text] = /(?::has-text\(|:text(?:-is)?\(|^text=)\s*["']?([^"')]+)/.exec(selector) ?? [];
  const last = selector.split(/\s*[>+~]\s*|\s+(?![^[]*\]|[^(]*\))/).at(-1) ?? "";
  const [tag = ""] = /^[a-z]\w*/i.exec(last) ?? [];
  const named = [...last.matchAll(/[#.]([\w-]+)|\[[\w-]+[~|^$*]?=\s*["']?([^"'\]]+)/g)].map(([, name, value]) => name ?? value ?? "");
  const words = [...named, ...(text === undefined ? [] : [text])].flatMap(wordsOf).filter((word) => word.length >= shortest);
  return { tags: rolesOfTags[tag.toLowerCase()] ?? null, words };
}

/** Also without the kind of element that many names end in: `login-button` is the button “Log in”. */
function wordsOf(name: string): readonly string[] {
  const plain = name
    .replace(/[-_]?(?:button|btn|link|input|field|box|tab|heading|title)$/i, "")
    .replace(/^(?:button|btn|link|input|field)[-_]/i, "");
  return [...new Set([squeezed(name), squeezed(plain)])];
}

function squeezed(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
