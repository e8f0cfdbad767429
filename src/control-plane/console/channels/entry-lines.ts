import { secretMask } from "#contract/variables.ts";
import { channelTexts as texts } from "../../texts/channels.ts";

/** A header or query parameter of a webhook. */
export interface Entry {
  readonly key: string;
  readonly value: string;
  /** The value is a secret. */
  readonly locked: boolean;
}

/** Values under such names are locked from the start. */
const secretName = /authorization|cookie|key|token|secret|password|signature/i;

/** So many lines that are wrong are told. */
const maxProblems = 10;

/** A line each. What is locked reads as asterisks, or as nothing where it was typed just now: a secret is not shown again. */
export function entriesText(entries: readonly Entry[]): string {
  return entries.map(({ key, value, locked }) => `${key}: ${locked && value !== secretMask ? "" : value}`).join("\n");
}

/**
 * The entries that somebody typed, a line each. What was locked stays so, and without a value keeps the one that it has.
 *
 * @param before what is stored, with asterisks for secrets
 */
export function entriesOf(text: string, before: readonly Entry[]): { readonly entries: readonly Entry[]; readonly problem?: string } {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
  const lockedBefore = new Set(before.filter((entry) => entry.locked).map(({ key }) => key));
  const problems: string[] = [];
  const entries = lines.map((line, index): Entry => {
    const colon = line.indexOf(":");
    const key = (colon < 0 ? line : line.slice(0, colon)).trim();
    const value = colon < 0 ? "" : line.slice(colon + 1).trim();
    const isTold = problems.length < maxProblems;
    if (colon < 0 && isTold) problems.push(texts.noColon(index + 1));
    if (lockedBefore.has(key)) return { key, value: value === "" ? secretMask : value, locked: true };
    const locked = secretName.test(key);
    if (locked && value === "" && colon >= 0 && isTold) problems.push(texts.valueAgain(key.slice(0, 60)));
    return { key, value, locked };
  });
  return problems.length === 0 ? { entries } : { entries, problem: problems.join(" ") };
}
