/** Words of names such as `JSON_BODY` that are no plain words. */
const spelt: Readonly<Record<string, string>> = { json: "JSON", grpc: "gRPC", tls: "TLS", ocsp: "OCSP", ttl: "TTL" };

/** A source or comparison of assertions in words: `JSON body`, `response time`, `less than`. */
export function assertionWord(name: string): string {
  return name
    .toLowerCase()
    .split("_")
    .map((word) => spelt[word] ?? word)
    .join(" ");
}

/** The same at the beginning of a line: `Response time`. */
export function assertionTitle(name: string): string {
  const text = assertionWord(name);
  return name.startsWith("GRPC") ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
