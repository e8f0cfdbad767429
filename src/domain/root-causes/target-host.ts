/** What of a request names the host that it goes to. */
export interface TargetNames {
  readonly url?: unknown;
  readonly hostname?: unknown;
  /** The name that is looked up. */
  readonly query?: unknown;
}

/** The host that a check looks at, in lower case; null where it names none, or by a template that only a run fills in. */
export function targetHost({ url, hostname, query }: TargetNames): string | null {
  const named = [hostname, query].find((name) => typeof name === "string" && name !== "");
  const host = typeof named === "string" ? named : hostOf(url);
  return host === "" || /[{}\s/]|%7b/i.test(host) ? null : host.toLowerCase().replace(/\.$/, "").slice(0, 253);
}

/** Also of an address without a scheme, as `db.example:5432`. */
function hostOf(url: unknown): string {
  if (typeof url !== "string" || url === "") return "";
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return URL.parse(url)?.hostname ?? "";
  return URL.parse(`tcp://${url}`)?.hostname ?? "";
}

/** Of a check's whole definition. */
export function checkTarget(definition: Readonly<Record<string, unknown>>): string | null {
  const { request } = definition;
  if (typeof request !== "object" || request === null) return null;
  const { url, hostname, query, sslConfig } = request as TargetNames & { readonly sslConfig?: { readonly hostname?: unknown } };
  return targetHost({ url, hostname: hostname ?? sslConfig?.hostname, query });
}
