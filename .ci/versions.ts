/** Whether a SemVer version comes after another; false for what is no version. Build metadata is no part of a tag here. */
export function isLater(version: string, before: string): boolean {
  const [a, b] = [parsed(version), parsed(before)];
  if (a === null || b === null) return false;
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0;
    if (number !== other) return number > other;
  }
  return comparePre(a.pre, b.pre) > 0;
}

/**
 * Chart.yaml with `version` and `appVersion` set: charts are released with the images they install, under one number.
 *
 * @throws {Error} when a line is not there exactly once
 */
export function chartAt(text: string, path: string, version: string): string {
  const set = (changed: string, line: string, value: string): string => {
    const pattern = new RegExp(`^${line}: .*$`, "gm");
    if (changed.match(pattern)?.length !== 1) throw new Error(`${path} must have one line "${line}: …".`);
    return changed.replace(pattern, `${line}: ${value}`);
  };
  return set(set(text, "version", version), "appVersion", JSON.stringify(version));
}

/** A page or a compose file with the images, archives, charts and tag of one version in place of those of another. */
export function namesAt(text: string, before: string, version: string): string {
  const names = new RegExp(`(outpost/[a-z-]+:|outpost-[a-z-]+-|--version |checkout v|tags/v)${RegExp.escape(before)}(?![0-9-])`, "g");
  return text.replaceAll(names, (_, name: string) => `${name}${version}`);
}

interface SemVer {
  readonly numbers: readonly number[];
  readonly pre: readonly string[];
}

function parsed(text: string): SemVer | null {
  const match = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/.exec(text);
  if (match === null) return null;
  return { numbers: match.slice(1, 4).map(Number), pre: match[4]?.split(".") ?? [] };
}

/** SemVer 2.0 §11: a release is later than its pre-releases; numbers come before words; the longer list is later. */
function comparePre(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (part !== other) return compareIdentifiers(part, other);
  }
  return a.length - b.length;
}

function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a > b ? 1 : -1;
}
