import { badDescriptor } from "../file-registry.ts";

export interface Token {
  readonly kind: "word" | "number" | "text" | "sign" | "end";
  /** As written; a text with its quotes. */
  readonly source: string;
}

/** What stands between tokens, then one token: none of it can be read in two ways, so that reading takes linear time. */
const between = /(?:\s+|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y;
/** None begins as another does, but for the point of a number. */
const kinds = [
  ["word", /[A-Za-z_]\w*/y],
  ["number", /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y],
  ["text", /"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'/y],
  ["sign", /[-+.,;:=(){}[\]<>/]/y],
] as const;
const end: Token = { kind: "end", source: "" };
/** Longer names would make looking them up slow. */
const maxNameLength = 1_000;

/** The words of a proto file, one after another. */
export class Tokens {
  readonly #source: string;
  #at = 0;
  #next: Token;

  constructor(source: string) {
    this.#source = source;
    this.#next = this.#read();
  }

  /** What comes next; it stays. */
  get next(): Token {
    return this.#next;
  }

  take(): Token {
    const taken = this.#next;
    this.#next = this.#read();
    return taken;
  }

  /** Takes the next token if it is this one. */
  skip(source: string): boolean {
    const { kind } = this.#next;
    if (this.#next.source !== source || kind === "text" || kind === "end") return false;
    this.take();
    return true;
  }

  /** @throws {ProbeError} EGRPCDESCRIPTOR where something else comes */
  expect(source: string): void {
    if (!this.skip(source)) throw this.unfit(`"${source}"`);
  }

  /** @throws {ProbeError} EGRPCDESCRIPTOR */
  word(what: string): string {
    if (this.#next.kind !== "word") throw this.unfit(what);
    return this.take().source;
  }

  /** `.package.Type`, or a part of it. @throws {ProbeError} EGRPCDESCRIPTOR */
  typeName(): string {
    let name = this.skip(".") ? "." : "";
    do name += `${name === "" || name === "." ? "" : "."}${this.word("the name of a type")}`;
    while (this.skip(".") && name.length <= maxNameLength);
    if (name.length > maxNameLength) throw this.unfit(`a name of at most ${maxNameLength} characters`);
    return name;
  }

  /** A whole number of any base. @throws {ProbeError} EGRPCDESCRIPTOR */
  whole(what: string): number {
    const sign = this.skip("-") ? -1 : 1;
    const { kind, source } = this.#next;
    const value = /^0[0-7]+$/.test(source) ? Number.parseInt(source, 8) : Number(source);
    if (kind !== "number" || !Number.isSafeInteger(value)) throw this.unfit(what);
    this.take();
    return sign * value;
  }

  /** Texts that follow one another are one. Escapes stay as they are. @throws {ProbeError} EGRPCDESCRIPTOR */
  text(what: string): string {
    if (this.#next.kind !== "text") throw this.unfit(what);
    const parts: string[] = [];
    while (this.#next.kind === "text") parts.push(this.take().source.slice(1, -1));
    return parts.join("");
  }

  /** Says on which line something else is wanted, without the text of the file. */
  unfit(wanted: string): Error {
    let line = 1;
    for (let at = this.#source.indexOf("\n"); at !== -1 && at < this.#at; at = this.#source.indexOf("\n", at + 1)) line += 1;
    return badDescriptor(`the proto file cannot be read: ${wanted} is wanted on line ${line}`);
  }

  #read(): Token {
    const start = this.#after(between) ?? this.#at;
    this.#at = start;
    if (start >= this.#source.length) return end;
    for (const [kind, pattern] of kinds) {
      const stop = this.#after(pattern);
      if (stop === null) continue;
      this.#at = stop;
      return { kind, source: this.#source.slice(start, stop) };
    }
    throw this.unfit("another character");
  }

  /** Where this ends that begins here. */
  #after(pattern: RegExp): number | null {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#source) ? pattern.lastIndex : null;
  }
}
