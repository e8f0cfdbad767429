import type { Browser } from "../control-plane/console/browser.ts";

/** A form of a page, with what stands in it. */
export interface ConsoleForm {
  readonly path: string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

/** Follows every link that a person sees, of each kind of address a few; forms are not sent. */
export async function crawled(
  here: Browser,
  from: readonly string[],
): Promise<{ readonly pages: readonly string[]; readonly forms: readonly ConsoleForm[] }> {
  const mayFollow = budget();
  const pages = new Set<string>();
  const forms = new Map<string, ConsoleForm>();
  const waiting = [...from];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (pages.has(path) || !mayFollow(kindOf(path))) continue;
    pages.add(path);
    const { text, location } = await here.get(path);
    if (location !== null) waiting.push(location);
    for (const [, href = ""] of text.matchAll(/(?:href|src|action)="(\/[^"#]*)/g)) {
      const way = plain(href);
      if (!way.startsWith("//") && !/^\/(scripts?|browser|sign-out)\b/.test(way)) waiting.push(way);
    }
    for (const form of formsOf(text, path)) forms.set(form.path, form);
  }
  return { pages: [...pages], forms: [...forms.values()] };
}

const mostOfKind = 12;
/** A list with filters, orders and groups has thousands of addresses. */
const mostOfPage = 60;

/** Counts addresses of each kind, and of each page whatever is asked of it. */
function budget(): (kind: string) => boolean {
  const met = new Map<string, number>();
  return (kind) => {
    const [page = ""] = kind.split("?");
    const [ofKind, ofPage] = [met.get(kind) ?? 0, met.get(page) ?? 0];
    if (ofKind >= mostOfKind || ofPage >= mostOfPage) return false;
    met.set(kind, ofKind + 1).set(page, ofPage + 1);
    return true;
  };
}

/** The address without ids and values. */
function kindOf(path: string): string {
  const [way = "", query = ""] = path.split("?");
  const names = [...new URLSearchParams(query).keys()].toSorted().join("&");
  return `${way.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, "{}")}?${names}`;
}

function formsOf(page: string, at: string): readonly ConsoleForm[] {
  return [...page.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)].flatMap(([, head = "", content = ""]) => {
    if (!/method="post"/i.test(head)) return [];
    const path = plain(/action="([^"]*)"/.exec(head)?.[1] ?? at).split("?")[0] ?? "";
    return [{ path, fields: fieldsOf(content) }];
  });
}

function fieldsOf(content: string): ConsoleForm["fields"] {
  const pairs = [...inputsOf(content), ...textsOf(content), ...choicesOf(content)];
  return Object.fromEntries([...Map.groupBy(pairs, ([name]) => name)].map(([name, some]) => [name, some.map(([, value]) => plain(value))]));
}

type Pair = readonly [name: string, value: string];

function inputsOf(content: string): readonly Pair[] {
  const tags = [...content.matchAll(/<input[^>]*>/g)].map(([tag]) => tag);
  return tags
    .filter((tag) => !/type="(checkbox|radio)"/.test(tag) || / checked/.test(tag))
    .map((tag) => pairOf(tag, attribute(tag, "value")));
}

function textsOf(content: string): readonly Pair[] {
  return [...content.matchAll(/<textarea([^>]*)>([\s\S]*?)<\/textarea>/g)].map(([, head = "", text = ""]) => pairOf(head, text));
}

function choicesOf(content: string): readonly Pair[] {
  return [...content.matchAll(/<select([^>]*)>([\s\S]*?)<\/select>/g)].map(([, head = "", options = ""]) => {
    const all = [...options.matchAll(/<option([^>]*)>/g)].map(([, one = ""]) => one);
    return pairOf(head, attribute(all.find((one) => / selected/.test(one)) ?? all[0] ?? "", "value"));
  });
}

function pairOf(tag: string, value: string): Pair {
  return [attribute(tag, "name"), value];
}

function attribute(tag: string, name: string): string {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
}

function plain(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">");
}
