/** How a suite is started: the words after `playwright test`. */
export type TestCommand = { readonly words: readonly string[] } | { readonly problem: string };

const allowed =
  'it must be "npx playwright test" or the like (pnpm exec, yarn, bunx, npm exec), with options and names of files, and nothing that needs a shell';

/** What people put before `playwright test`; `--` may stand before it, too. */
const starters: readonly (readonly string[])[] = [
  [],
  ["npx"],
  ["npx", "--no-install"],
  ["npm", "exec"],
  ["pnpm"],
  ["pnpm", "exec"],
  ["yarn"],
  ["yarn", "run"],
  ["yarn", "exec"],
  ["bunx"],
  ["bun", "x"],
  ["bun", "run"],
  ["bun"],
];

/** Options that need a screen, or somebody who looks at it. */
const needsScreen = ["--ui", "--ui-host", "--ui-port", "--debug", "--headed"];

/** Reads the `testCommand` of a suite, which no shell ever sees. */
export function testCommand(text: string): TestCommand {
  const words = shellWords(text);
  if (words === null) return { problem: `${allowed}; received ${JSON.stringify(text.slice(0, 200))}` };
  const at = words.findIndex((word) => word === "playwright" || word.endsWith("node_modules/.bin/playwright"));
  const before = words.slice(0, at).filter((word) => word !== "--");
  const isKnown = at !== -1 && words[at + 1] === "test" && starters.some((one) => one.join(" ") === before.join(" "));
  if (!isKnown) return { problem: `${allowed}; received ${JSON.stringify(text.slice(0, 200))}` };
  const rest = words.slice(at + 2);
  const unfit = rest.find((word) => needsScreen.some((option) => word === option || word.startsWith(`${option}=`)));
  return unfit === undefined ? { words: rest } : { problem: `${unfit} needs a screen, and agents have none: leave it out` };
}

/** Words as a POSIX shell would split them; null where it would do more than that, or a quote has no end. */
function shellWords(text: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (/\s/.test(char)) {
      if (/[\r\n]/.test(char)) return null;
      if (word !== null) words.push(word);
      word = null;
    } else if (char === "'" || char === '"') {
      const quoted = quotedAt(text, at);
      if (quoted === null) return null;
      word = (word ?? "") + quoted.text;
      at = quoted.end;
    } else if (char === "\\") {
      at += 1;
      if (at >= text.length) return null;
      word = (word ?? "") + text.charAt(at);
    } else if (/[|&;<>()`$!{}*?[\]#~]/.test(char) && !isPlain(char, word)) return null;
    else word = (word ?? "") + char;
  }
  return word === null ? words : [...words, word];
}

/** What shells leave alone inside of a word. */
function isPlain(char: string, word: string | null): boolean {
  return (char === "#" || char === "~" || char === "!") && word !== null;
}

function quotedAt(text: string, start: number): { readonly text: string; readonly end: number } | null {
  const quote = text.charAt(start);
  let inside = "";
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === quote) return { text: inside, end: at };
    if (quote === '"' && (char === "$" || char === "`")) return null;
    if (quote === '"' && char === "\\" && /["\\$`]/.test(text.charAt(at + 1))) at += 1;
    inside += text.charAt(at);
  }
  return null;
}
