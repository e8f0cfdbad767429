import { secretMask } from "#contract/variables.ts";
import type { PlannedOwnership } from "./ownership.ts";
import type { Change, Step } from "./plan.ts";

const signs = { create: ["+", 32], update: ["~", 33], replace: ["±", 33], remove: ["-", 31] } as const;
const maxShownLength = 60;

/** A plan for people: one line per object that changes, one per field, and a summary. @param color whether the terminal has colours */
export function planText(steps: readonly Step[], color: boolean): string {
  const lines = steps.flatMap((step) => (step.action === "keep" ? [] : linesOf({ ...step, action: step.action }, color)));
  return [...lines, summary(steps)].map((line) => `${line}\n`).join("");
}

/** What changes about what a file's project owns. */
export function ownershipText(owner: PlannedOwnership | null): string {
  if (owner === null || owner.taken + owner.left === 0) return "";
  const { project, taken, left } = owner;
  const changes = [...(taken > 0 ? [`${taken} more`] : []), ...(left > 0 ? [`${left} no longer, which stay`] : [])];
  return `project "${project.name}": owns ${changes.join(", ")}\n`;
}

function linesOf({ action, entry, key, changes }: Step & { readonly action: keyof typeof signs }, color: boolean): string[] {
  const [sign, code] = signs[action];
  const title = `${sign} ${entry.kind.title} ${JSON.stringify(key)}${action === "replace" ? ", made anew" : ""}`;
  return [color ? `\u001B[${code}m${title}\u001B[0m` : title, ...changeLines(changes)];
}

/** A line for each field that changes. */
export function changeLines(changes: readonly Change[]): string[] {
  return changes.map((change) => `    ${changeText(change)}`);
}

function changeText({ path, before, after }: Change): string {
  if (before === secretMask) return `${path}: secret, set again`;
  if (before === after) return `${path}: ${shown(after)}, made anew`;
  return `${path}: ${shown(before)} → ${shown(after)}`;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === secretMask) return "a secret";
  const text = JSON.stringify(value);
  return text.length <= maxShownLength ? text : `${text.slice(0, maxShownLength)}… (${text.length} characters)`;
}

function summary(steps: readonly Step[]): string {
  const count = (action: Step["action"]): number => steps.filter((step) => step.action === action).length;
  const words = [
    [count("create"), "to create"],
    [count("update"), "to change"],
    [count("replace"), "to make anew"],
    [count("remove"), "to remove"],
    [count("keep"), "unchanged"],
  ] as const;
  return words.flatMap(([n, word]) => (n > 0 ? [`${n} ${word}`] : [])).join(", ") || "The file is empty";
}
