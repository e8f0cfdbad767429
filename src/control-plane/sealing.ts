import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Keeps secrets of users at rest: what is stored tells nothing without the pepper of the installation. */
export interface Sealing {
  /** Different each time, so equal secrets do not look alike. */
  seal(secret: string): string;
  /** Null when it was sealed under another pepper or altered: then it is lost. */
  unseal(sealed: string): string | null;
}

const prefix = "sealed:v1:";
const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM under a key that is derived from the pepper (HKDF-SHA256, RFC 5869). */
export function createSealing(pepper: string | Uint8Array): Sealing {
  const key = new Uint8Array(hkdfSync("sha256", pepper, "", "outpost secrets of users", 32));
  return {
    seal(secret) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return prefix + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
    },
    unseal(sealed) {
      if (!sealed.startsWith(prefix)) return null;
      const bytes = Buffer.from(sealed.slice(prefix.length), "base64");
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes));
        decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString("utf8");
      } catch {
        return null; // there is no other way to ask
      }
    },
  };
}
