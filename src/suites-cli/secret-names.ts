import { posix } from "node:path";

/** Names of files that mostly hold secrets, whatever is in them. */
const patterns: readonly RegExp[] = [
  /^\.env(\..+)?$/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/i,
  /^id_(rsa|dsa|ecdsa|ed25519)$/,
  /^\.(netrc|pgpass|htpasswd|npmrc|yarnrc|yarnrc\.yml|git-credentials)$/,
  /^(credentials|client_secret.*|service[-_]?account.*)\.json$/i,
  /\.tfstate$/,
];

/** Where tests keep what signs them in (https://playwright.dev/docs/auth). */
const folders = [".auth", ".ssh", ".aws", ".gnupg"];

/** Settings without a key in them are no secret. */
const harmlessWithout: Readonly<Record<string, RegExp>> = {
  ".npmrc": /(?:_authToken|_auth|_password)\s*=\s*(?!\s*\$\{)\S/,
  ".yarnrc": /(?:_authToken|_auth|_password)/,
  ".yarnrc.yml": /npmAuth(?:Token|Ident)["']?:\s*["']?(?!["']?\$\{)\S/,
};

/** Whether a file looks like a secret by its path. */
export function looksSecret(path: string): boolean {
  const name = posix.basename(path);
  return (
    patterns.some((pattern) => pattern.test(name)) ||
    path
      .split("/")
      .slice(0, -1)
      .some((folder) => folders.includes(folder))
  );
}

/** Whether the text of a file that looks like a secret shows that it is none. */
export function isHarmless(path: string, text: string): boolean {
  const key = harmlessWithout[posix.basename(path)];
  return key !== undefined && !key.test(text);
}
