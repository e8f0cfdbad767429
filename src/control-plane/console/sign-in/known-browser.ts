import { randomBytes } from "node:crypto";
import type { Headers } from "../../http/authenticate.ts";
import { isSameText } from "../../keys/same-text.ts";
import type { ConsoleCookies } from "./cookies.ts";

/** Tells browsers in which somebody has signed in before, so that those who guess elsewhere cannot lock him out. */
export interface KnownBrowsers {
  /** What its attempts are counted under; undefined where nobody has signed in with this address yet. */
  find(headers: Headers, email: string): string | undefined;
  /** @returns the cookie that makes it known */
  remember(email: string): string;
}

const maxAgeSeconds = 180 * 86_400;
const nonceLength = 16;
const markLength = 27;

export function createKnownBrowsers(cookies: ConsoleCookies, hashOf: (secret: string) => string): KnownBrowsers {
  const markOf = (nonce: string, email: string): string =>
    hashOf(`known:${nonce}:${email.normalize("NFC").toLowerCase()}`).slice(0, markLength);
  return {
    find(headers, email) {
      const value = cookies.known.read(headers);
      if (value === undefined) return undefined;
      const nonce = value.slice(0, nonceLength);
      return isSameText(value.slice(nonceLength), markOf(nonce, email)) ? value : undefined;
    },
    remember(email) {
      const nonce = randomBytes(12).toString("base64url");
      return cookies.known.set(nonce + markOf(nonce, email), maxAgeSeconds);
    },
  };
}
