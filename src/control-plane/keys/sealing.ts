import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Which secret of which object it is. A sealed text opens only there, so that nobody moves it to where he can read it. */
export interface SecretPlace {
  readonly kind: string;
  readonly accountId: number;
  /** The object's uuid or name; empty where it has neither before it is stored. */
  readonly row: string;
  readonly field: string;
}

/** Keeps secrets of users at rest: what is stored tells nothing without the encryption key of the installation. */
export interface Sealing {
  /** Different each time, so equal secrets do not look alike. */
  readonly seal: (secret: string, place: SecretPlace) => string;
  /** Null when it was sealed under a key that is gone, for another place, or was altered: then it is lost. */
  readonly unseal: (sealed: string, place: SecretPlace) => string | null;
  /** The same secret as it is sealed today, to be stored with its object; the same text where it is so already, or lost. */
  readonly renewed: (sealed: string, place: SecretPlace) => string;
}

/** The key under which secrets are sealed. */
export interface DataKey {
  /** Counts up where an operator begins anew. */
  readonly no: number;
  readonly key: Uint8Array;
}

const nonceBytes = 12;
const tagBytes = 16;
const oldPrefix = "sealed:v1:";

/**
 * AES-256-GCM under the data key, with the place as additional data: `sealed:v2:<number of the key>:…`. Texts `sealed:v1:…` of earlier
 * releases, sealed under a key that HKDF-SHA256 (RFC 5869) derives from the pepper, are still opened.
 */
export function createSealing(dataKey: DataKey, pepper: string | Uint8Array): Sealing {
  const oldKey = new Uint8Array(hkdfSync("sha256", pepper, "", "outpost secrets of users", 32));
  const prefix = `sealed:v2:${dataKey.no}:`;
  const seal: Sealing["seal"] = (secret, place) =>
    prefix + encrypted(dataKey.key, Buffer.from(secret), placeBytes(place)).toString("base64");
  const unseal: Sealing["unseal"] = (sealed, place) => {
    const isOld = sealed.startsWith(oldPrefix);
    if (!isOld && !sealed.startsWith(prefix)) return null;
    const bytes = Buffer.from(sealed.slice(isOld ? oldPrefix.length : prefix.length), "base64");
    return (isOld ? decrypted(oldKey, bytes, noData) : decrypted(dataKey.key, bytes, placeBytes(place)))?.toString("utf8") ?? null;
  };
  return {
    seal,
    unseal,
    renewed(sealed, place) {
      const secret = sealed.startsWith(oldPrefix) ? unseal(sealed, place) : null;
      return secret === null ? sealed : seal(secret, place);
    },
  };
}

/** Whether a stored text is sealed. What users send is never taken for it: it is sealed again. */
export function isSealed(text: string): boolean {
  return /^sealed:v\d+:/.test(text);
}

const noData = Buffer.alloc(0);

function placeBytes({ kind, accountId, row, field }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([kind, accountId, row, field]));
}

/** AES-256-GCM: a fresh nonce, the tag, then the text. */
export function encrypted(key: Uint8Array, text: Uint8Array, additionalData: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(additionalData);
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** What `encrypted` made, or null for another key, other data or an altered text: there is no other way to ask. */
export function decrypted(key: Uint8Array, bytes: Uint8Array, additionalData: Uint8Array): Buffer | null {
  if (bytes.length < nonceBytes + tagBytes) return null;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  try {
    decipher.setAAD(additionalData).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
  } catch {
    return null;
  }
}
