import { z } from "zod";
import { AppError } from "#domain/app-error.ts";
import { ttlCache } from "../ttl-cache.ts";
import { checkIdToken, Jwks } from "./id-token.ts";
import { isSafeUrl, type OidcSettings } from "./oidc-settings.ts";

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
  authorizationUrl(flow: OidcFlow, challenge: string): Promise<string>;
  /**
   * The address that the provider has verified of who came back with `code`; null where it has none.
   *
   * @throws {AppError} unavailable, forbidden
   */
  emailOf(flow: OidcFlow, code: string): Promise<string | null>;
}

const Endpoint = z.string().refine(isSafeUrl);
const Discovery = z.object({ issuer: z.string(), authorization_endpoint: Endpoint, token_endpoint: Endpoint, jwks_uri: Endpoint });
const Tokens = z.object({ id_token: z.string() });

const timeoutMs = 10_000;
const answerBytes = 512 * 1024;
const knownMs = 3_600_000;

/** An OpenID Connect provider, by its discovery document: the authorization code flow with PKCE, state and nonce. */
export function createOidcProvider(settings: OidcSettings, nowMs: () => number): OidcProvider {
  const { issuer, clientId, clientSecret } = settings;
  const cache = { ttlMs: knownMs, maxEntries: 1, nowMs };
  const discovery = ttlCache(cache, async () => {
    const found = await ask(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, Discovery);
    if (found.issuer !== issuer) throw away("its discovery document names another issuer than OIDC_ISSUER");
    return found;
  });
  const jwks = ttlCache(cache, (uri: string) => ask(uri, Jwks));
  const found = async (): Promise<z.output<typeof Discovery>> =>
    (await discovery.get("")) ?? Promise.reject(away("it has no discovery document"));

  async function idToken({ redirectUri, verifier }: OidcFlow, code: string): Promise<string> {
    const body = new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier });
    const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
    if (clientSecret === null) body.set("client_id", clientId);
    else
      headers["authorization"] =
        `Basic ${Buffer.from([clientId, clientSecret.reveal()].map(encodeURIComponent).join(":")).toString("base64")}`;
    return (await ask((await found()).token_endpoint, Tokens, { method: "POST", headers, body: body.toString() })).id_token;
  }

  return {
    async authorizationUrl({ state, nonce, redirectUri }, challenge) {
      const url = new URL((await found()).authorization_endpoint);
      const asked = { response_type: "code", scope: "openid email", client_id: clientId, redirect_uri: redirectUri, state, nonce };
      for (const [name, value] of Object.entries({ ...asked, code_challenge: challenge, code_challenge_method: "S256" }))
        url.searchParams.set(name, value);
      return url.href;
    },
    async emailOf(flow, code) {
      const token = await idToken(flow, code);
      const { jwks_uri: uri } = await found();
      const check = async () => {
        const keys = (await jwks.get(uri)) ?? { keys: [] };
        return checkIdToken(token, keys, { issuer, clientId, nonce: flow.nonce, nowMs: nowMs() });
      };
      let checked = await check();
      if (checked.kind === "unknown-key") {
        jwks.forget(uri); // the provider has new ones
        checked = await check();
      }
      if (checked.kind === "good") return checked.email;
      throw new AppError(
        "forbidden",
        `The ID token cannot be taken: ${checked.kind === "bad" ? checked.reason : "no known key signed it"}`,
      );
    },
  };
}

/** JSON of a bounded size within a bounded time, without a redirect. @throws {AppError} unavailable; never with what was sent */
async function ask<T>(url: string, schema: z.ZodType<T>, init: RequestInit = {}): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(url, { ...init, redirect: "error", signal }).catch((cause: unknown) => {
    throw away("it does not answer", cause);
  });
  const text = await bounded(answer).catch((cause: unknown) => {
    throw away("its answer broke off", cause);
  });
  if (!answer.ok) throw away(`it answered with status ${answer.status}`);
  const parsed = schema.safeParse(jsonOf(text));
  if (!parsed.success) throw away("its answer has not the form that OpenID Connect asks for");
  return parsed.data;
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function away(reason: string, cause?: unknown): AppError {
  return new AppError("unavailable", `The provider of the sign-in cannot be used: ${reason}`, { cause });
}
