/** A text in a definition, and where. */
export interface OpenText {
  /** `request.headers[0].value` */
  readonly path: string;
  /** Of the entry that it is the value of: a header, a variable. */
  readonly key: string | null;
  readonly text: string;
}

/** Shorter ones are part of many words; see the limits of scrubbing. */
const shortestSecret = 6;

/** Forms of well-known credentials: none of them occurs by chance. */
const forms = [
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/,
  /\bgithub_pat_\w{40,255}\b/,
  /\bglpat-[\w-]{20,255}\b/,
  /\bxox[abposr]-[\w-]{10,255}\b/,
  /\b[sr]k_live_[A-Za-z0-9]{20,255}\b/,
  /\bAIza[\w-]{35}\b/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}\b/,
  /\b(?:cu|sv|pl)_[0-9a-f]{32}\b/,
];

/** Every text of a definition that is not sealed. */
export function openTexts(value: unknown, path = "", key: string | null = null): readonly OpenText[] {
  if (typeof value === "string") return value === "" || /^sealed:v\d+:/.test(value) ? [] : [{ path, key, text: value }];
  if (Array.isArray(value)) return value.flatMap((one, index) => openTexts(one, `${path}[${index}]`, key));
  if (typeof value !== "object" || value === null) return [];
  const named = "key" in value && typeof value.key === "string" ? value.key : null;
  return Object.entries(value).flatMap(([name, inner]) =>
    openTexts(inner, path === "" ? name : `${path}.${name}`, name === "value" && named !== null ? named : key),
  );
}

/** The secret that stands in a text; undefined where none does. */
export function secretIn(text: string, known: readonly string[]): string | undefined {
  const value = known.find((secret) => secret.length >= shortestSecret && text.includes(secret));
  if (value !== undefined) return value;
  for (const form of forms) {
    const [found] = form.exec(text) ?? [];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What tells people which one it is, and nobody the rest. */
export function previewOf(secret: string): string {
  return `${secret.slice(0, Math.min(4, Math.floor(secret.length / 4)))}…`;
}
