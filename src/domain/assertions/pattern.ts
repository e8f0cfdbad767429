import { RE2JS, RE2JSException } from "re2js";
import { BoundedCache } from "../bounded-cache.ts";
import type { WorkBudget } from "./work-budget.ts";

/** A regular expression of a user, compiled once for a linear-time engine (RE2: no lookaround, no back-references). */
export type Pattern = { readonly engine: RE2JS; readonly size: number; readonly groups: number } | { readonly problem: string };

/** Longer sources are refused: they compile slowly and nobody writes them by hand. */
const maxSourceLength = 2_000;
/** From here it pays to ask first whether there is a match at all: that takes a tenth of finding where. */
const longText = 16_384;

const patterns = new BoundedCache<Pattern>(256, compile);

/** Compiles, or says in a sentence why not. The last 256 patterns are kept, refused ones too. */
export function patternOf(source: string): Pattern {
  if (source.length > maxSourceLength) return { problem: `the regular expression is longer than ${maxSourceLength} characters` };
  return patterns.get(source);
}

/** The first group of the first match, or the whole match where there is no group; undefined without a match. */
export function firstMatch(pattern: Exclude<Pattern, { problem: string }>, text: string, budget: WorkBudget): string | undefined {
  budget.spend(pattern.size * text.length, "the regular expression");
  if (text.length > longText && !pattern.engine.test(text)) return undefined;
  const matcher = pattern.engine.matcher(text);
  if (!matcher.find()) return undefined;
  return matcher.group(pattern.groups > 0 ? 1 : 0) ?? undefined;
}

function compile(source: string): Pattern {
  try {
    const engine = RE2JS.compile(RE2JS.translateRegExp(source));
    return { engine, size: engine.programSize(), groups: engine.groupCount() };
  } catch (error) {
    const reason = error instanceof RE2JSException ? error.message.replace(/^error parsing regexp: /, "") : "it nests too deeply";
    return { problem: `the regular expression is not valid: ${reason}` };
  }
}
