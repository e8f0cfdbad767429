import { AppError } from "../app-error.ts";
import { type BlockTag, type ParsedBlocks, parseBlocks } from "./block-tags.ts";
import { momentText } from "./moment-text.ts";
import { type NotificationPlace, type PlaceEncoder, placeEncoder } from "./place-encoder.ts";
import type { TemplateContext } from "./template-context.ts";
import { type TemplateValue, valueText } from "./template-value.ts";

export interface NotificationContext extends Pick<TemplateContext, "nowMs" | "random" | "uuid"> {
  readonly variables: Readonly<Record<string, TemplateValue>>;
}

export interface RenderedNotification {
  readonly text: string;
  /** Tags that nothing fills and blocks that are none, as they were written; each once. They stay in the text. */
  readonly unknown: readonly string[];
}

const maxLength = 1_048_576;
/** Tags that are filled, those of lists each time: lists in lists would keep a processor busy for years without one character. */
const maxSteps = 100_000;

/**
 * Fills a template of a notification (behaviour 2.7): variables, `$UUID`, `$RANDOM_NUMBER`, `moment`, and the blocks `if`, `unless`, `eq`, `ne`,
 * `gt`, `lt`, `contains` and `each` with `{{else}}`. What is no such template stays as it is. Values are no templates themselves.
 *
 * @throws {AppError} invalid_input where the text grows beyond 1 MB, or lists repeat without end
 */
export function renderNotification(template: string, context: NotificationContext, place: NotificationPlace): RenderedNotification {
  const parsed = parseBlocks(template);
  const rendering = new Rendering(template, parsed, context, placeEncoder(place));
  rendering.fill(0, parsed.tags.length, 0, template.length, []);
  return { text: rendering.text, unknown: [...new Set([...parsed.loose, ...rendering.unknown])] };
}

/** An entry of a list that `{{#each}}` goes through. */
interface Entry {
  readonly value: string;
  readonly index: number;
  readonly isLast: boolean;
}

class Rendering {
  text = "";
  readonly unknown: string[] = [];
  readonly #template: string;
  readonly #parsed: ParsedBlocks;
  readonly #context: NotificationContext;
  readonly #encoder: PlaceEncoder;
  #steps = 0;

  constructor(template: string, parsed: ParsedBlocks, context: NotificationContext, encoder: PlaceEncoder) {
    this.#template = template;
    this.#parsed = parsed;
    this.#context = context;
    this.#encoder = encoder;
  }

  /** Writes what stands between two places: tags `from` to before `to`, text `start` to before `end`. */
  fill(from: number, to: number, start: number, end: number, entries: readonly Entry[]): void {
    let written = start;
    this.#step();
    for (let at = from; at < to; at++) {
      const tag = this.#tag(at);
      this.#step();
      const partners = this.#parsed.partners.get(at);
      if (partners !== undefined) {
        this.#pass(written, tag.start);
        this.#block(at, partners, entries);
        written = this.#tag(partners.end).end;
        at = partners.end;
        continue;
      }
      const value = this.#valueOf(tag, entries);
      if (value === undefined) continue;
      this.#pass(written, tag.start);
      this.#add(tag.kind === "comment" ? "" : this.#encoder.encode(value, tag.kind === "raw"));
      written = tag.end;
    }
    this.#pass(written, end);
  }

  #step(): void {
    if (++this.#steps > maxSteps) throw new AppError("invalid_input", "the template repeats its lists more often than 100000 times");
  }

  #tag(at: number): BlockTag {
    const tag = this.#parsed.tags[at];
    if (tag === undefined) throw new RangeError(`there is no tag ${at}`);
    return tag;
  }

  #pass(start: number, end: number): void {
    this.#add(this.#encoder.pass(this.#template.slice(start, end)));
  }

  #add(text: string): void {
    this.text += text;
    if (this.text.length > maxLength)
      throw new AppError("invalid_input", "the notification grows beyond 1 MB by the values of its template");
  }

  #block(at: number, { otherwise, end }: { readonly otherwise: number; readonly end: number }, entries: readonly Entry[]): void {
    const open = this.#tag(at);
    const close = this.#tag(end);
    const middle = otherwise < 0 ? null : this.#tag(otherwise);
    const first = (inner: readonly Entry[]): void =>
      this.fill(at + 1, otherwise < 0 ? end : otherwise, open.end, middle?.start ?? close.start, inner);
    const [name = "", ...operands] = wordsOf(open.text);
    const values = operands.map((operand) => this.#operand(operand, entries));
    const list = name === "each" ? listOf(values[0]) : [];
    for (const [index, value] of list.entries()) first([...entries, { value, index, isLast: index === list.length - 1 }]);
    if (list.length > 0 || (name !== "each" && holds(name, values))) return name === "each" ? undefined : first(entries);
    if (middle !== null) this.fill(otherwise + 1, end, middle.end, close.start, entries);
  }

  /** Undefined where nothing fills it, so that it stays. */
  #valueOf({ kind, text, start, end }: BlockTag, entries: readonly Entry[]): TemplateValue | undefined {
    if (kind === "comment") return "";
    if (kind !== "value" && kind !== "raw") return undefined;
    const value = /\s/.test(text) && text.startsWith("moment") ? momentText(text, this.#context.nowMs) : this.#named(text, entries);
    if (value === undefined) this.unknown.push(this.#template.slice(start, end));
    return value;
  }

  #named(name: string, entries: readonly Entry[]): TemplateValue | undefined {
    const { variables, random, uuid } = this.#context;
    if (Object.hasOwn(variables, name)) return variables[name];
    const entry = entries.at(-1);
    if (entry !== undefined && Object.hasOwn(ofEntry, name)) return ofEntry[name]?.(entry);
    if (name === "$UUID") return uuid();
    return name === "$RANDOM_NUMBER" ? Math.floor(random() * 10_001) : undefined;
  }

  /** A text in quotes, a number, true, false, or a name; empty where nothing has the name, as an `if` expects it. */
  #operand(word: string, entries: readonly Entry[]): TemplateValue {
    if (/^["']/.test(word)) return word.slice(1, -1);
    if (word === "true" || word === "false" || /^-?\d+(\.\d+)?$/.test(word)) return word;
    return this.#named(word, entries) ?? "";
  }
}

const ofEntry: Readonly<Record<string, (entry: Entry) => TemplateValue>> = {
  this: ({ value }) => value,
  ".": ({ value }) => value,
  "@index": ({ index }) => index,
  "@first": ({ index }) => index === 0,
  "@last": ({ isLast }) => isLast,
};

/** Texts in quotes are one word with their blanks. */
function wordsOf(text: string): string[] {
  return text.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
}

function listOf(value: TemplateValue | undefined): readonly string[] {
  return typeof value === "object" ? value : [];
}

function holds(name: string, [left = "", right = ""]: readonly TemplateValue[]): boolean {
  const [a, b] = [valueText(left), valueText(right)];
  switch (name) {
    case "if":
      return isTrue(left);
    case "unless":
      return !isTrue(left);
    case "eq":
      return a === b;
    case "ne":
      return a !== b;
    case "gt":
      return Number(a) > Number(b);
    case "lt":
      return Number(a) < Number(b);
    default:
      return typeof left === "object" ? left.includes(b) : a.includes(b);
  }
}

/** As Handlebars sees it: empty texts, lists, 0 and false are not. */
function isTrue(value: TemplateValue): boolean {
  return !["", "0", "false"].includes(valueText(value));
}
