import { isSameText } from "./same-text.ts";

/** A token that says itself what it is for, under the pepper: each process reads those of all others. */
export interface SignedTokens {
  readonly tokenOf: (text: string) => string;
  /** What a token says; null for one that nobody here made. */
  readonly read: (token: string) => string | null;
}

/** @param purpose tells tokens apart that are made of the same text */
export function signedTokens(purpose: string, hashOf: (text: string) => string): SignedTokens {
  const sign = (text: string): string => hashOf(`${purpose}:${text}`);
  return {
    tokenOf(text) {
      const encoded = Buffer.from(text).toString("base64url");
      return `${encoded}.${sign(encoded)}`;
    },
    read(token) {
      const [encoded = "", signature = ""] = token.split(".");
      return isSameText(signature, sign(encoded)) ? Buffer.from(encoded, "base64url").toString() : null;
    },
  };
}
