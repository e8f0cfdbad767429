/** Where the link of the mail leads, before its token. */
export const newPasswordPath = "/new-password";

/** What is stored of the token. */
export function resetHash(hashOf: (secret: string) => string, token: string): string {
  return hashOf(`password-reset:${token}`);
}
