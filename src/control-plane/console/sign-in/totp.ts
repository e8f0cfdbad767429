import { createHmac } from "node:crypto";
import { isSameText } from "../../keys/same-text.ts";

/* Codes of authenticator apps: TOTP (RFC 6238) with what all apps take for granted: SHA-1, six digits, 30 seconds. */

const stepSeconds = 30;
const digits = 6;
/** Steps of time before and after ours: clocks differ, and typing takes a while. */
const window = 1;
export const secretBytes = 20;

/** RFC 4226 5.3 of a step of time. */
export function codeOf(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The step of time that a code stands for; null where it is none of now. Each is looked at, whichever is right. */
export function stepOfCode(secret: Uint8Array, code: string, nowMs: number): number | null {
  const now = stepAt(nowMs);
  const steps = Array.from({ length: 2 * window + 1 }, (_, index) => now - window + index);
  return steps.filter((step) => isSameText(code, codeOf(secret, step))).at(-1) ?? null;
}

export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / 1_000 / stepSeconds);
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 6, without padding; `bytes` in fives. */
export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => letters[Number.parseInt(five, 2)]).join("");
}

/** What an app reads from the picture. */
export function totpAddress(secret: Uint8Array, issuer: string, email: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?${new URLSearchParams({ secret: base32(secret), issuer }).toString()}`;
}
