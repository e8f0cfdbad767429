/* Retries in the form: its names, and what was chosen. */

export const retryPath = "retryStrategy";
export const retryTypes = ["FIXED", "LINEAR", "EXPONENTIAL", "SINGLE_RETRY"] as const;
export const retryNumbers = ["baseBackoffSeconds", "maxRetries", "maxDurationSeconds"] as const;
export const retryFlags = { elsewhere: `${retryPath}.elsewhere`, onlyNetwork: `${retryPath}.onlyNetwork` } as const;

/** Beside these something can be wrong with retries. */
export const retryPlaces: readonly string[] = [...["type", ...retryNumbers].map((name) => `${retryPath}.${name}`), retryPath];

/**
 * Undefined where nobody said anything of retries; null for none. What is left empty is the strategy's own; what nobody touched is as it is
 * stored.
 */
export function retriesIn(form: URLSearchParams, stored: unknown): object | null | undefined {
  const type = form.get(`${retryPath}.type`) ?? "";
  if (type === "") return undefined;
  if (type === "NONE") return null;
  const texts = retryNumbers.map((name) => form.get(`${retryPath}.${name}`) ?? "");
  const typed = strategyOf(type, texts, form.has(retryFlags.elsewhere), form.has(retryFlags.onlyNetwork));
  const before = retriesOf(stored);
  return before !== null && JSON.stringify(typed) === JSON.stringify(asShown(before)) ? before : typed;
}

function strategyOf(type: string, texts: readonly string[], isElsewhere: boolean, isOnlyNetwork: boolean): object {
  const given = texts.flatMap((text, index) => {
    const trimmed = text.trim();
    return trimmed === "" ? [] : [[retryNumbers[index], Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed]];
  });
  return { type, ...Object.fromEntries(given), sameRegion: !isElsewhere, onlyOn: isOnlyNetwork ? ["NETWORK_ERROR"] : [] };
}

/** A stored strategy as it would come back from the form. */
function asShown(retries: Retries): object {
  const texts = retryNumbers.map((name) => String(retries[name] ?? ""));
  return strategyOf(retries.type, texts, retries.sameRegion === false, retries.onlyOn?.includes("NETWORK_ERROR") === true);
}

export interface Retries extends Partial<Readonly<Record<(typeof retryNumbers)[number], number | string>>> {
  readonly type: string;
  readonly sameRegion?: boolean;
  readonly onlyOn?: readonly string[];
}

/** As a check has them, or as `retriesIn` made them; null: none. */
export function retriesOf(value: unknown): Retries | null {
  return typeof value === "object" && value !== null ? (value as Retries) : null;
}
