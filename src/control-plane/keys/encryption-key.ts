/** What an encryption key must look like, for messages. */
export const encryptionKeyForm = "must be 32 bytes, as 64 hexadecimal digits or as base64; one comes from: openssl rand -hex 32";

/** The 32 bytes of a key as an operator writes it, or null. */
export function encryptionKeyBytes(text: string): Uint8Array | null {
  const key = text.trim();
  if (/^[0-9a-fA-F]{64}$/.test(key)) return Buffer.from(key, "hex");
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(key)) return null;
  const bytes = Buffer.from(key, "base64");
  return bytes.length === 32 ? bytes : null;
}
