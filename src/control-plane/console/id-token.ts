import { constants, createPublicKey, type KeyObject, verify, type webcrypto } from "node:crypto";
import { z } from "zod";

/** Keys of a provider (RFC 7517). What else is in them is not looked at. */
export const Jwks = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().optional(), use: z.string().optional(), alg: z.string().optional() })),
});
export type Jwks = z.output<typeof Jwks>;

const Header = z.object({ alg: z.enum(["RS256", "PS256", "ES256", "EdDSA"]), kid: z.string().optional(), crit: z.never().optional() });
const Claims = z.object({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  exp: z.number(),
  iat: z.number(),
  nonce: z.string(),
  email: z.string().optional(),
  email_verified: z.union([z.boolean(), z.string()]).optional(),
});

export interface ExpectedToken {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly nowMs: number;
}

export type CheckedToken =
  | { readonly kind: "good" /** Null unless the provider says that it belongs to the person. */; readonly email: string | null }
  /** Signed by a key that is not in the set: it may be newer than the set. */
  | { readonly kind: "unknown-key" }
  | { readonly kind: "bad"; readonly reason: string };

/** How far clocks may differ. */
const leewaySeconds = 60;

/** Checks an ID token (OpenID Connect Core 3.1.3.7). Symmetric and absent signatures are none. */
export function checkIdToken(token: string, { keys }: Jwks, expected: ExpectedToken): CheckedToken {
  const [head = "", body = "", signature = "", ...rest] = token.split(".");
  const header = Header.safeParse(jsonOf(head));
  const claims = Claims.safeParse(jsonOf(body));
  if (!header.success || !claims.success || rest.length > 0) return bad("it has not the form of an ID token");
  const { alg } = header.data;
  const key = keys.find((one) => mayHaveSigned(one, header.data));
  if (key === undefined) return { kind: "unknown-key" };
  if (!isSigned(alg, key as webcrypto.JsonWebKey, `${head}.${body}`, Buffer.from(signature, "base64url")))
    return bad("its signature is wrong");
  const problem = problemOf(claims.data, expected);
  if (problem !== undefined) return bad(problem);
  return { kind: "good", email: verifiedEmail(claims.data) };
}

/** Some providers say it as text. */
function verifiedEmail({ email, email_verified: isVerified }: z.output<typeof Claims>): string | null {
  return email !== undefined && (isVerified === true || isVerified === "true") ? email : null;
}

function mayHaveSigned(key: Jwks["keys"][number], { alg, kid }: z.output<typeof Header>): boolean {
  return key.kty === keyTypes[alg] && (key.use ?? "sig") === "sig" && (key.alg ?? alg) === alg && (kid === undefined || key.kid === kid);
}

const keyTypes = { RS256: "RSA", PS256: "RSA", ES256: "EC", EdDSA: "OKP" } as const;

function problemOf(claims: z.output<typeof Claims>, { issuer, clientId, nonce, nowMs }: ExpectedToken): string | undefined {
  const audience = [claims.aud].flat();
  const now = nowMs / 1_000;
  if (claims.iss !== issuer) return "another issuer made it";
  if (!audience.includes(clientId)) return "it was made for another client";
  if ((audience.length > 1 || claims.azp !== undefined) && claims.azp !== clientId) return "it was made for several clients";
  if (claims.exp <= now - leewaySeconds) return "it has expired";
  if (claims.iat > now + leewaySeconds) return "it is of the future";
  return claims.nonce === nonce ? undefined : "it belongs to another sign-in";
}

function isSigned(alg: keyof typeof keyTypes, jwk: webcrypto.JsonWebKey, text: string, signature: Buffer): boolean {
  try {
    const key: KeyObject = createPublicKey({ key: jwk, format: "jwk" });
    if (alg === "RS256" || alg === "PS256") {
      if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) return false;
      const padding = alg === "RS256" ? constants.RSA_PKCS1_PADDING : constants.RSA_PKCS1_PSS_PADDING;
      return verify("sha256", Buffer.from(text), { key, padding }, signature);
    }
    if (alg === "EdDSA") return verify(null, Buffer.from(text), key, signature);
    return (
      key.asymmetricKeyDetails?.namedCurve === "prime256v1" &&
      verify("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }, signature)
    );
  } catch {
    return false; // a key that is none
  }
}

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

function bad(reason: string): CheckedToken {
  return { kind: "bad", reason };
}
