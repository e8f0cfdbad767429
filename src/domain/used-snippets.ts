/** Of one run, all snippets together, in UTF-8. */
export const maxSnippetBytes = 1_048_576;
/** Of one run. */
export const maxSnippets = 500;

/**
 * The snippets that scripts read, by name: those they name in a text such as `"./snippets/login.js"` (also without `.js`), and those that
 * these name in turn, to each other as `"./login"`. All of the account where code builds such a name while it runs. What is past a bound
 * stands there as code that says so when it is read: the run fails with that sentence, not for want of a file.
 *
 * @param known code by name, the newest first
 */
export function usedSnippets(scripts: readonly string[], known: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const used = new Map<string, string>();
  if (known.size === 0) return {};
  let bytes = 0;
  const open = [...scripts];
  for (let code = open.pop(); code !== undefined; code = open.pop()) {
    for (const name of namesIn(code, known)) {
      const snippet = known.get(name);
      if (snippet === undefined || used.has(name) || used.size >= maxSnippets) continue;
      const size = Buffer.byteLength(snippet);
      const fits = bytes + size <= maxSnippetBytes;
      used.set(name, fits ? snippet : leftOut(name));
      if (!fits) continue;
      bytes += size;
      open.push(snippet);
    }
  }
  return Object.fromEntries(used);
}

function leftOut(name: string): string {
  const message = `The snippet ${name} was left out: the snippets of one run may have ${maxSnippetBytes} bytes together`;
  return `throw new Error(${JSON.stringify(message)});`;
}

/** A whole text that may be the place of a snippet. Nothing in it goes past a quote, and its length is bounded: linear on any input. */
const literals = /(["'`])\.\/(snippets\/)?([^"'`\\\n\r$]{1,260})\1/g;
const place = "./snippets/";

function namesIn(code: string, known: ReadonlyMap<string, string>): Iterable<string> {
  if (!code.includes("./")) return [];
  const names = new Set<string>();
  let literalPlaces = 0;
  for (const [, , folder, name = ""] of code.matchAll(literals)) {
    if (folder !== undefined) literalPlaces += 1;
    names.add(known.has(name) ? name : name.replace(/\.js$/, ""));
  }
  return code.split(place, literalPlaces + 2).length - 1 > literalPlaces ? known.keys() : names;
}
