/* Retries in the form: its names, and what was chosen. */

export const retryPath = "retryStrategy";
export const retryTypes = ["FIXED", "LINEAR", "EXPONENTIAL", "SINGLE_RETRY"] as const;
export const retryNumbers = ["baseBackoffSeconds", "maxRetries", "maxDurationSeconds"] as const;
export const retryFlags = { elsewhere: `${retryPath}.elsewhere`, onlyNetwork: `${retryPath}.onlyNetwork` } as const;

/** Beside these something can be wrong with retries. */
export const retryPlaces: readonly string[] = [...["type", ...retryNumbers].map((name) => `${retryPath}.${name}`), retryPath];

/** Undefined where nobody said anything of retries; null for none. What is left empty is the strategy's own. */
export function retriesIn(form: URLSearchParams): object | null | undefined {
  const type = form.get(`${retryPath}.type`) ?? "";
  if (type === "") return undefined;
  if (type === "NONE") return null;
  const given = retryNumbers.flatMap((name) => {
    const text = (form.get(`${retryPath}.${name}`) ?? "").trim();
    return text === "" ? [] : [[name, Number.isFinite(Number(text)) ? Number(text) : text]];
  });
  const onlyOn = form.has(retryFlags.onlyNetwork) ? ["NETWORK_ERROR"] : [];
  return { type, ...Object.fromEntries(given), sameRegion: !form.has(retryFlags.elsewhere), onlyOn };
}
