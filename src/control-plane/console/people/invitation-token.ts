import { randomBytes } from "node:crypto";

/** What the link of an invitation ends with; only its hash is kept. */
export function newInvitationToken(): string {
  return randomBytes(24).toString("base64url");
}

export function invitationHash(hashOf: (secret: string) => string, token: string): string {
  return hashOf(`invitation:${token}`);
}
