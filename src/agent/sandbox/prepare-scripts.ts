import { Script } from "node:vm";
import type { ScriptPhase } from "./sandbox.ts";
import type { Stripped, StripTask } from "./strip-worker.ts";

/** Code as the child runs it: JavaScript, as a module or as a function's body. */
export interface PreparedCode {
  readonly code: string;
  readonly isModule: boolean;
}

export interface PreparedPhase {
  readonly scripts: readonly PreparedCode[];
  /** Those that a script, or a snippet that it loads, can name. */
  readonly snippets: Readonly<Record<string, PreparedCode>>;
}

/** Code that cannot be read, for people. */
export interface CodeProblem {
  readonly problem: string;
}

type Strip = (task: StripTask) => Promise<Stripped>;

/** Kept while checks come again: characters of code, of all scripts together. */
const keptCharacters = 4 * 1024 * 1024;

/** Makes JavaScript of the users' code. Nothing is run here; V8 reads it, to see whether there are types in it. */
export class ScriptPreparer {
  readonly #strip: Strip;
  readonly #kept = new Map<string, PreparedCode>();
  #keptCharacters = 0;

  constructor(strip: Strip) {
    this.#strip = strip;
  }

  async prepare({ scripts, snippets }: Pick<ScriptPhase, "scripts" | "snippets">): Promise<PreparedPhase | CodeProblem> {
    const prepared: PreparedCode[] = [];
    for (const { name, code } of scripts) {
      const result = await this.#prepared(code);
      if ("problem" in result) return { problem: `${name} ${result.problem}` };
      prepared.push(result);
    }
    const named = new Map<string, PreparedCode>();
    for (const [name, code] of namedSnippets(
      scripts.map((script) => script.code),
      snippets,
    )) {
      const result = await this.#prepared(code);
      if ("problem" in result) return { problem: `snippet ${name} ${result.problem}` };
      named.set(name, result);
    }
    return { scripts: prepared, snippets: Object.fromEntries(named) };
  }

  async #prepared(code: string): Promise<PreparedCode | CodeProblem> {
    const known = this.#kept.get(code);
    if (known !== undefined) return known;
    const result = await javaScriptOf(code, this.#strip);
    if ("problem" in result) return result;
    this.#keptCharacters += code.length;
    if (this.#keptCharacters > keptCharacters) {
      this.#kept.clear();
      this.#keptCharacters = code.length;
    }
    this.#kept.set(code, result);
    return result;
  }
}

/** Snippets whose name stands in the code, or in a snippet that is taken. */
function namedSnippets(codes: readonly string[], snippets: Readonly<Record<string, string>>): Map<string, string> {
  const taken = new Map<string, string>();
  const left = new Set(Object.keys(snippets));
  const texts = [...codes];
  for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
    for (const name of left) {
      const code = snippets[name];
      if (code === undefined || !text.includes(name)) continue;
      left.delete(name);
      taken.set(name, code);
      texts.push(code);
    }
  }
  return taken;
}

/** Code that V8 reads as a function is taken as it is: types are looked for only where that fails, or where it imports and exports. */
async function javaScriptOf(code: string, strip: Strip): Promise<PreparedCode | CodeProblem> {
  if (isFunctionBody(code)) return { code, isModule: false };
  const mayBeModule = /^\s*(?:import|export)\b/m.test(code);
  const stripped = await strip({ code, isModule: mayBeModule });
  if ("code" in stripped) return { code: stripped.code, isModule: mayBeModule };
  const other = stripped.isBroken || !mayBeModule ? null : await strip({ code, isModule: false });
  if (other !== null && "code" in other) return { code: other.code, isModule: false };
  return { problem: `cannot be read: ${stripped.problem}${stripped.line === null ? "" : ` (line ${stripped.line})`}` };
}

function isFunctionBody(code: string): boolean {
  try {
    return new Script(`async () => {${code}\n}`) instanceof Script;
  } catch {
    return false;
  }
}
