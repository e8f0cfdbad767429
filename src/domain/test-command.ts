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

/** Blanks, a part in quotes of either kind, one character behind a backslash, or what means nothing to a shell. */
const piece = /([ \t]+)|'([^']*)'|"((?:[^"\\$`]|\\.)*)"|\\(.)|([^\s'"\\|&;<>()`${}*?[\]]+)/gy;

/** Words as a POSIX shell would split them; null where it would do more than that, or a quote has no end. */
function shellWords(text: string): readonly string[] | null {
  const pieces = [...text.matchAll(piece)];
  if (pieces.map(([whole]) => whole).join("") !== text) return null;
  const words: string[] = [];
  let isOpen = false;
  for (const [, blanks, single, double, escaped, plain] of pieces) {
    if (blanks !== undefined) {
      isOpen = false;
      continue;
    }
    if (!isOpen && /^[#~!]/.test(plain ?? "")) return null;
    const part = [single, double?.replaceAll(/\\(["\\$`])/g, "$1"), escaped, plain].join(""); // one of them is there
    words.push((isOpen ? (words.pop() ?? "") : "") + part);
    isOpen = true;
  }
  return words;
}
