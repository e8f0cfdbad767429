/** A header or query parameter of a check; `locked` keeps the value out of results. */
export interface Pair {
  readonly key: string;
  readonly value: string;
  readonly locked: boolean;
}

const secretNames = /auth|cookie|token|secret|password|api[-_]?key|credential|session|signature/i;

/** A pair; its value is locked when its name says that it is a secret. */
export function pairOf(key: string, value: string): Pair {
  return { key, value, locked: secretNames.test(key) };
}

export interface BasicAuth {
  readonly username: string;
  readonly password: string;
}

/** An address without the user and password that may stand in it: they move to where they are kept out of sight. */
export function withoutCredentials(address: string): { readonly url: string; readonly basicAuth: BasicAuth | undefined } {
  const parts = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@]*)@(.*)$/is.exec(address);
  if (!parts) return { url: address, basicAuth: undefined };
  const [username = "", password = ""] = (parts[2] ?? "").split(/:(.*)/s).map(decoded);
  return { url: `${parts[1]}${parts[3]}`, basicAuth: { username, password } };
}

/** Host and path: what names a check without the secrets that a query may hold. */
export function placeOf(address: string): string {
  return address
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/^[^/?#@]*@/, "")
    .replace(/[?#].*$/s, "");
}

/** Body and its type by the content type that the client would send; a header says it where no body type does. */
export function bodyFields(body: string, contentType: string | undefined): { readonly fields: object; readonly keepsHeader: boolean } {
  const bodyTypes: Readonly<Record<string, string>> = { "application/json": "JSON", "application/x-www-form-urlencoded": "FORM" };
  const bodyType = bodyTypes[(contentType ?? "").trim().toLowerCase()];
  return { fields: { body, bodyType: bodyType ?? "RAW" }, keepsHeader: bodyType === undefined };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
