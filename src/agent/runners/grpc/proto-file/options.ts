import type { Tokens } from "./tokens.ts";

/** Options by their names, values as written; those in braces and those of extensions are left out: nothing here depends on them. */
export type Options = Map<string, string>;

const none: ReadonlyMap<string, string> = new Map();

/** `option name = value;`, after its first word. @throws {ProbeError} EGRPCDESCRIPTOR */
export function readOption(tokens: Tokens, into: Options): void {
  readPair(tokens, into);
  tokens.expect(";");
}

/** `[name = value, …]`, where there is one. @throws {ProbeError} EGRPCDESCRIPTOR */
export function readOptionList(tokens: Tokens): ReadonlyMap<string, string> {
  if (!tokens.skip("[")) return none;
  const options: Options = new Map();
  do readPair(tokens, options);
  while (tokens.skip(","));
  tokens.expect("]");
  return options;
}

function readPair(tokens: Tokens, into: Options): void {
  const parts: string[] = [];
  do parts.push(readNamePart(tokens));
  while (tokens.skip("."));
  tokens.expect("=");
  const name = parts.join(".");
  const value = readValue(tokens, name, into);
  if (value !== null && !name.includes("(")) into.set(name, value);
}

function readNamePart(tokens: Tokens): string {
  if (!tokens.skip("(")) return tokens.word("the name of an option");
  while (!tokens.skip(")")) {
    if (!tokens.skip(".")) tokens.word("the name of an option");
  }
  return "()";
}

/** Null for what stands in braces. */
function readValue(tokens: Tokens, name: string, into: Options): string | null {
  if (tokens.next.source === "{") {
    readBraces(tokens, name, into);
    return null;
  }
  if (tokens.next.kind === "text") return tokens.text("a text");
  const sign = tokens.skip("-") ? "-" : tokens.skip("+") ? "" : "";
  const { kind } = tokens.next;
  if (kind !== "word" && kind !== "number") throw tokens.unfit("the value of an option");
  return sign + tokens.take().source;
}

/** Features may be written in braces, each a name and a word; of the rest only the end is looked for. */
function readBraces(tokens: Tokens, name: string, into: Options): void {
  let depth = 0;
  let key = "";
  do {
    const { kind, source } = tokens.next;
    if (kind === "end") throw tokens.unfit('"}"');
    if (source === "{") depth += 1;
    else if (source === "}") depth -= 1;
    else if (kind === "word" && name === "features" && depth === 1) {
      if (key === "") key = source;
      else {
        into.set(`features.${key}`, source);
        key = "";
      }
    }
    tokens.take();
  } while (depth > 0);
}

const known = ["field_presence", "enum_type", "repeated_field_encoding", "utf8_validation", "message_encoding", "json_format"];

/** What of the options the encoding depends on, as descriptors have it (ProtoJSON); undefined where there is nothing. */
export function descriptorOptions(options: ReadonlyMap<string, string>, flags: readonly string[]): Record<string, unknown> | undefined {
  if (options.size === 0) return undefined; // of almost all
  const features = known.flatMap((name) => (options.has(`features.${name}`) ? [[name, options.get(`features.${name}`)]] : []));
  const set = flags.flatMap((name) => (options.has(name) ? [[name, options.get(name) === "true"]] : []));
  if (features.length + set.length === 0) return undefined;
  return { ...Object.fromEntries(set), ...(features.length > 0 && { features: Object.fromEntries(features) }) };
}
