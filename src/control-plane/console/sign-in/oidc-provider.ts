import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type IDToken,
  None,
  ResponseBodyError,
  type ServerMetadata,
} from "openid-client";
import type { ProxySettings } from "#daemon/proxy.ts";
import type { Secret } from "#daemon/secret.ts";
import { AppError } from "#domain/app-error.ts";
import { ttlCache } from "#domain/ttl-cache.ts";
import { createProxyDispatchers } from "../../outgoing/proxies.ts";
import type { Identity } from "../../storage/storage.ts";
import { providerTexts as texts } from "../../texts/sign-in.ts";
import type { OidcSettings } from "./oidc-settings.ts";

/** What makes one sign-in different from every other one. */
export interface OidcFlow {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: string;
  readonly redirectUri: string;
}

export interface OidcProvider {
  /** Where the browser goes. @throws {AppError} unavailable */
  authorizationUrl(flow: OidcFlow): Promise<string>;
  /** Who came back with `answer`. @throws {AppError} unavailable, forbidden */
  personOf(flow: OidcFlow, answer: URLSearchParams): Promise<ProvidedPerson>;
}

/** Whom the provider has signed in. Issuer and subject say who it is; an address may be another one's tomorrow. */
export interface ProvidedPerson extends Identity {
  /** Which the provider has verified; null where it has none. */
  readonly email: string | null;
  readonly name: string | null;
}

const timeoutSeconds = 10;
const scopes = ["openid", "email", "profile"];
const answerBytes = 512 * 1024;
const knownMs = 3_600_000;
/** How far clocks may differ. */
const leewaySeconds = 60;

/** An OpenID Connect provider, by its discovery document: the authorization code flow with PKCE, state and nonce. */
export function createOidcProvider(
  { issuer, clientId, clientSecret }: OidcSettings,
  proxies: ProxySettings,
  nowMs: () => number,
): OidcProvider {
  const ask = createAsk(proxies);
  const metadata = { [clockTolerance]: leewaySeconds };
  const secret = clientSecret === null ? None() : basic(clientSecret);
  const isOnThisMachine = issuer.startsWith("http:"); // `OIDC_ISSUER` takes no other http
  const options = { timeout: timeoutSeconds, [customFetch]: ask, execute: isOnThisMachine ? [allowInsecureRequests] : [] };
  const servers = ttlCache({ ttlMs: knownMs, maxEntries: 1, nowMs }, async (): Promise<ServerMetadata> => {
    const found = await discovery(new URL(issuer), clientId, metadata, secret, options).catch((error: unknown) => {
      throw away(error);
    });
    return { ...found.serverMetadata() };
  });

  /** One for each question: the library keeps the keys of a provider with it, and the provider may have new ones. */
  async function client(): Promise<Configuration> {
    const server = await servers.get("");
    if (server === undefined) throw new Error("a discovery that does not fail has found something");
    const made = new Configuration(server, clientId, metadata, secret);
    made.timeout = timeoutSeconds;
    made[customFetch] = ask;
    for (const step of [...options.execute, enableNonRepudiationChecks]) step(made);
    return made;
  }

  return {
    async authorizationUrl({ state, nonce, redirectUri, verifier }) {
      const challenge = { code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" };
      return buildAuthorizationUrl(await client(), { scope: scopes.join(" "), redirect_uri: redirectUri, state, nonce, ...challenge }).href;
    },
    async personOf({ state, nonce, redirectUri, verifier }, answer) {
      const url = new URL(`${redirectUri}?${answer.toString()}`);
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await authorizationCodeGrant(await client(), url, checks).catch((error: unknown) => {
        throw isOfToken(error) ? new AppError("forbidden", texts.badToken(reasonOf(error))) : away(error);
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new AppError("forbidden", texts.noToken);
      // The library leaves it to us (OpenID Connect Core 3.1.3.7, step 10).
      if (claims.iat > nowMs() / 1_000 + leewaySeconds) throw new AppError("forbidden", texts.badToken(texts.ofFuture));
      const { name } = claims;
      return { issuer: claims.iss, subject: claims.sub, email: verifiedEmail(claims), name: typeof name === "string" ? name : null };
    },
  };
}

/** As the library's own, which encodes `-` and `_` too: not each provider decodes them (RFC 6749 2.3.1). */
function basic(secret: Secret): ClientAuth {
  return (_server, client, _body, headers) => {
    const pair = [client.client_id, secret.reveal()].map(encodeURIComponent).join(":");
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  };
}

/** Some providers say it as text. */
function verifiedEmail({ email, email_verified: isVerified }: IDToken): string | null {
  return typeof email === "string" && (isVerified === true || isVerified === "true") ? email : null;
}

/** How the library sends, through the proxies of the installation: an answer of a bounded size. The deadline is in the signal. */
function createAsk(proxies: ProxySettings): CustomFetch {
  const proxied = createProxyDispatchers(proxies, {
    connect: { timeout: timeoutSeconds * 1_000 },
    allowH2: false,
    keepAliveTimeout: 2_000,
  });
  /** @throws {AppError} unavailable */
  return async (url, options) => {
    const dispatcher = proxied.to(new URL(url));
    const request = { ...options, body: options.body ?? null, signal: options.signal ?? null };
    if (dispatcher !== null) Object.assign(request, { dispatcher }); // undici's types and those of Node.js's copy of it are strangers
    const answer = await fetch(url, request).catch((cause: unknown) => {
      throw unavailable(texts.silent, cause);
    });
    const text = await bounded(answer).catch((cause: unknown) => {
      throw unavailable(texts.brokenAnswer, cause);
    });
    return new Response(text === "" ? null : text, { status: answer.status, headers: answer.headers });
  };
}

async function bounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > answerBytes) throw new AppError("too_large", "the answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What the library says of a token that is not for us, rather than of a provider that is broken. */
const tokenCodes: ReadonlySet<string | undefined> = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION",
]);

function isOfToken(error: unknown): error is ClientError {
  return error instanceof ClientError && tokenCodes.has(error.code);
}

/** Of the library's errors only what they say: what they hold are answers, with tokens. */
function away(error: unknown): unknown {
  if (error instanceof ResponseBodyError) return unavailable(texts.refused(error.error, error.status));
  if (!(error instanceof ClientError)) return error;
  return error.cause instanceof AppError ? error.cause : unavailable(reasonOf(error));
}

function reasonOf({ message, cause }: ClientError): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

function unavailable(reason: string, cause?: unknown): AppError {
  return new AppError("unavailable", texts.away(reason), { cause });
}
