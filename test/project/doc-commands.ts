/** One command of a shell block, as words without their quotes. What stands for something of the reader (`<id of the check>`, `$(…)`) is `placeholder`. */
export type Words = readonly string[];

export const placeholder = "00000000-0000-4000-8000-000000000000";

/** Of the blocks of a page that are marked as `sh`, each command, those within `$(…)` too. */
export function commandsIn(page: string): readonly Words[] {
  return [...page.matchAll(/^ *```sh\n(.*?)^ *```/gms)].flatMap(([, block = ""]) => commandsOf(block));
}

function commandsOf(block: string): readonly Words[] {
  const inner: string[] = [];
  const text = block
    .replaceAll(/\\\n/g, " ")
    .replaceAll(/<[a-z][^<>\n]*>/gi, placeholder)
    .replaceAll(/\$\(((?:[^()]|\([^()]*\))*)\)/g, (_, command: string) => {
      inner.push(command);
      return placeholder;
    });
  return [...split(text), ...inner.flatMap(commandsOf)];
}

/** By the shell's rules for quotes, comments and what ends a command. */
function split(text: string): readonly Words[] {
  const commands: Words[] = [];
  let words: string[] = [];
  const end = (): void => {
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (const [token] of text.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"#;|&]|(?<=\S)#)+|#[^\n]*|[;|&]+|\n/g)) {
    if (/^[\n;|&]/.test(token)) end();
    else if (!token.startsWith("#")) words.push(plain(token));
  }
  end();
  return commands;
}

function plain(token: string): string {
  return token.replaceAll(
    /'([^']*)'|"((?:\\.|[^"\\])*)"/gs,
    (_, single?: string, double?: string) => single ?? (double ?? "").replaceAll(/\\(.)/gs, "$1"),
  );
}
