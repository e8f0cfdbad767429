import { badDescriptor } from "../file-registry.ts";

export interface Token {
  readonly kind: "word" | "number" | "text" | "sign" | "end";
  /** As written; a text with its quotes. */
  readonly source: string;
}

/** What stands between tokens, then one token: none of it can be read in two ways, so that reading takes linear time. */
const between = /(?:\s+|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y;
const token =
  /([A-Za-z_]\w*)|(0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|("(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*')|([-+.,;:=(){}[\]<>/])/y;
const end: Token = { kind: "end", source: "" };
/** Longer names would make looking them up slow. */
const maxNameLength = 1_000;
const kinds = ["word", "number", "text", "sign"] as const;

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
    between.lastIndex = this.#at;
    between.exec(this.#source);
    this.#at = between.lastIndex;
    if (this.#at >= this.#source.length) return end;
    token.lastIndex = this.#at;
    const match = token.exec(this.#source);
    if (match === null) throw this.unfit("another character");
    this.#at = token.lastIndex;
    const kind = kinds.find((_kind, index) => match[index + 1] !== undefined) ?? "sign";
    return { kind, source: match[0] };
  }
}
