import { createHash, createHmac } from "node:crypto";
import type { Secret } from "#daemon/secret.ts";

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly region: string;
}

export interface UnsignedRequest {
  readonly method: string;
  /** Path and query are encoded as `encodedPath` and `encodedQuery` do it. */
  readonly url: URL;
  /** Lower-case names; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hexadecimal, or `UNSIGNED-PAYLOAD`. */
  readonly payloadHash: string;
  readonly nowMs: number;
}

/** The headers of a request with AWS Signature Version 4 for S3, the host's among them. */
export function signedHeaders(request: UnsignedRequest, { accessKeyId, secretAccessKey, region }: S3Credentials): Record<string, string> {
  const instant = new Date(request.nowMs).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const scope = `${instant.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.url.host,
    "x-amz-content-sha256": request.payloadHash,
    "x-amz-date": instant,
  };
  const names = Object.keys(headers).toSorted();
  const canonical = [
    request.method,
    request.url.pathname,
    request.url.search.slice(1),
    ...names.map((name) => `${name}:${headers[name]?.trim().replace(/ +/g, " ")}`),
    "",
    names.join(";"),
    request.payloadHash,
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", instant, scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey.reveal()}`);
  const signature = hmac(key, text).toString("hex");
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}

/** Each segment percent-encoded but for letters, digits and `-._~`. */
export function encodedPath(segments: readonly string[]): string {
  return segments.map((segment) => `/${encoded(segment)}`).join("");
}

/** Sorted by name, as the signature wants it. */
export function encodedQuery(query: Readonly<Record<string, string>>): string {
  return Object.keys(query)
    .toSorted()
    .map((name) => `${encoded(name)}=${encoded(query[name] ?? "")}`)
    .join("&");
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
