/** One command of a shell script, split into its words. */
export interface ShellCommand {
  /** From 1, where the command begins. */
  readonly line: number;
  readonly words: readonly string[];
  /** Something a reader of text cannot know: the output of another command, an unclosed quote. */
  readonly problem?: string;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1B", E: "\x1B", f: "\f", v: "\v" };
/** What ends a word outside of quotes, and what ends a command. */
const blank = /[ \t\r]/;
const ends = /[\n;|&]/;

/**
 * Splits a script as a POSIX shell does: quotes, `$'…'`, line continuations and comments. A variable becomes a template of the same
 * name, `{{{NAME}}}`: its value is not here.
 */
export function shellCommands(script: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  const reader = new Reader(script);
  while (!reader.done) {
    const command = reader.command();
    if (command.words.length > 0 || command.problem !== undefined) commands.push(command);
  }
  return commands;
}

class Reader {
  readonly #script: string;
  #at = 0;
  #line = 1;
  #problem: string | undefined;

  constructor(script: string) {
    this.#script = script;
  }

  get done(): boolean {
    return this.#at >= this.#script.length;
  }

  command(): ShellCommand {
    const words: string[] = [];
    let line = this.#line;
    this.#problem = undefined;
    while (!this.done) {
      const next = this.#peek();
      if (ends.test(next)) {
        this.#take();
        if (words.length > 0 || this.#problem !== undefined) break;
        line = this.#line;
      } else if (blank.test(next)) this.#take();
      else if (this.#takeContinuation()) continue;
      else if (next === "#") this.#skipComment();
      else {
        if (words.length === 0) line = this.#line;
        words.push(this.#word());
      }
    }
    return { line, words, ...(this.#problem !== undefined && { problem: this.#problem }) };
  }

  #word(): string {
    let word = "";
    while (!this.done) {
      const next = this.#peek();
      if (blank.test(next) || (ends.test(next) && !(next === "&" && word.endsWith(">")))) break;
      if (this.#takeContinuation()) continue;
      this.#take();
      if (next === "'") word += this.#upTo("'");
      else if (next === '"') word += this.#doubleQuoted();
      else if (next === "\\") word += this.#take();
      else if (next === "$") word += this.#expansion(true);
      else if (next === "`") word += this.#substitution("`");
      else word += next;
    }
    return word;
  }

  #doubleQuoted(): string {
    let text = "";
    while (!this.done) {
      const next = this.#take();
      if (next === '"') return text;
      if (next === "$") text += this.#expansion(false);
      else if (next === "`") text += this.#substitution("`");
      else if (next !== "\\") text += next;
      else {
        const escaped = this.#take();
        if (escaped !== "\n") text += /["\\$`]/.test(escaped) ? escaped : `\\${escaped}`;
      }
    }
    this.#problem = "a quote is not closed";
    return text;
  }

  /** After a dollar sign. `$'…'` is known outside of quotes only. */
  #expansion(unquoted: boolean): string {
    const next = this.#peek();
    if (next === "'" && unquoted) {
      this.#take();
      return this.#ansiQuoted();
    }
    if (next === "(") return this.#substitution(")");
    const variable = /^(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/.exec(this.#script.slice(this.#at, this.#at + 200));
    if (variable) {
      this.#skip(variable[0].length);
      return `{{{${variable[1] ?? variable[2]}}}}`;
    }
    if (next === "{") this.#problem = "it uses an expansion of the shell that is more than a variable";
    return "$";
  }

  #substitution(end: string): string {
    this.#problem = "it uses the output of another command";
    this.#upTo(end);
    return "";
  }

  #ansiQuoted(): string {
    let text = "";
    while (!this.done) {
      const next = this.#take();
      if (next === "'") return text;
      text += next === "\\" ? this.#ansiEscape() : next;
    }
    this.#problem = "a quote is not closed";
    return text;
  }

  #ansiEscape(): string {
    const code = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/.exec(
      this.#script.slice(this.#at, this.#at + 9),
    );
    if (!code) {
      const next = this.#take();
      return escapes[next] ?? next;
    }
    this.#skip(code[0].length);
    const point = code[4] === undefined ? Number.parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16) : Number.parseInt(code[4], 8);
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : "";
  }

  #upTo(end: string): string {
    const from = this.#at;
    while (!this.done) if (this.#take() === end) return this.#script.slice(from, this.#at - 1);
    this.#problem ??= "a quote is not closed";
    return this.#script.slice(from);
  }

  /** A backslash or, from Windows, a caret at the end of a line. */
  #takeContinuation(): boolean {
    const rest = /^(\\|\^)\r?\n/.exec(this.#script.slice(this.#at, this.#at + 3));
    if (!rest) return false;
    this.#skip(rest[0].length);
    return true;
  }

  #skipComment(): void {
    while (!this.done && this.#peek() !== "\n") this.#take();
  }

  #peek(): string {
    return this.#script[this.#at] ?? "";
  }

  #take(): string {
    const next = this.#peek();
    this.#at += 1;
    if (next === "\n") this.#line += 1;
    return next;
  }

  #skip(count: number): void {
    for (let taken = 0; taken < count; taken += 1) this.#take();
  }
}
