import { randomBytes } from "node:crypto";

/** Where a secret may stand beside the configuration that an operator made. Empty for most: nowhere. */
export interface Allowance {
  /** The REST answers in which a key of the lowest role, or of role READ_WRITE and higher, reads it back by contract. */
  readonly readBy?: { readonly lowest?: RegExp; readonly writers?: RegExp };
  /** The alerts whose receiver asks for it in the message. */
  readonly sentTo?: RegExp;
}

/** A secret unlike any other text, that was planted in one place. */
export interface Canary extends Allowance {
  readonly name: string;
  readonly value: string;
  /** What is looked for: its beginning and its end, so that half of it is found, too. */
  readonly pieces: readonly string[];
}

/** All pieces begin alike, which makes the search for many of them fast. */
const marker = "Kx7q";

function piece(): string {
  return marker + randomBytes(6).toString("hex");
}

/** Between the pieces stands what encodings change. */
export function wildCanary(name: string, allowance: Allowance = {}): Canary {
  return joined(name, `/+&<"'=%>`, allowance);
}

/** For fields that take letters and digits only. */
export function plainCanary(name: string, allowance: Allowance = {}): Canary {
  return joined(name, "", allowance);
}

/** For host names, which are lower-cased. */
export function hostCanary(name: string): Canary {
  const [first, last] = [piece().toLowerCase(), piece().toLowerCase()];
  return { name, value: `${first}-${last}`, pieces: [first, last] };
}

/** One that was made elsewhere. */
export function issuedCanary(name: string, value: string, allowance: Allowance = {}): Canary {
  const half = Math.ceil(value.length / 2);
  return { name, value, pieces: [value.slice(0, half), value.slice(half)].filter((part) => part.length >= 8), ...allowance };
}

function joined(name: string, between: string, allowance: Allowance): Canary {
  const [first, last] = [piece(), piece()];
  return { name, value: first + between + last, pieces: [first, last], ...allowance };
}
