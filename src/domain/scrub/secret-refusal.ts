/** Without their case. Masking them would spoil almost every result and protect nothing. */
const everyday: ReadonlySet<string> = new Set([
  "true",
  "false",
  "null",
  "none",
  "undefined",
  "http",
  "https",
  "http://",
  "https://",
  "localhost",
  "127.0.0.1",
  "0.0.0.0",
  "application/json",
  "text/plain",
  "text/html",
  "text",
  "html",
  "json",
  "utf-8",
]);

const minCharacters = 4;

/**
 * Why a value is not scrubbed, for a warning to its owner; null where it is (behaviour 4). Never has the value. Of several lines,
 * each counts by itself.
 */
export function refusalOf(secret: string): string | null {
  const text = secret.trim();
  if (text.length < minCharacters) return `shorter than ${minCharacters} characters`;
  if (everyday.has(text.toLowerCase())) return "a word that stands in almost every result";
  if (/^(.)\1*$/u.test(text)) return "one character, repeated";
  if (/[\r\n]/.test(text) && secretLines(text).length === 0) return "each of its lines is too short or too common";
  return null;
}

/** What is looked for of a secret: its lines, less indentation and PEM armour. */
export function secretLines(secret: string): string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  return lines.length === 1 ? lines : lines.filter((line) => !/^-----(BEGIN|END) /.test(line) && refusalOf(line) === null);
}
