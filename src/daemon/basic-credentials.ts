/** `Basic …` for Authorization and Proxy-Authorization (RFC 7617, UTF-8). */
export function basicCredentials(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Those of a URL's user and password; null where it has none. A stray `%` stands for itself. */
export function credentialsOf({ username, password }: URL): string | null {
  return username === "" && password === "" ? null : basicCredentials(decoded(username), decoded(password));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
