import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface OidcServer extends AsyncDisposable {
  readonly issuer: string;
  /** What it says of who signs in; each sign-in may change it. */
  claims: Readonly<Record<string, unknown>>;
  /** Makes it sign with a key of its own from now on. */
  readonly rotate: () => void;
  /** How it signs. `unknown` is a key that it tells nobody of, `text` is its public key taken for a shared secret. */
  signs: "rightly" | "unknown" | "text" | "none";
  /** What it says instead of tokens. */
  says: string | undefined;
  /** Signs somebody in: where the browser is sent back to. */
  readonly authorize: (location: string) => string;
}

/** An OpenID Connect provider that lets everybody in, and holds the client to PKCE and to its secret. */
export async function oidcServer(clientSecret: string): Promise<OidcServer> {
  let key = freshKey();
  const codes = new Map<string, URLSearchParams>();
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" }).end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    if (request.url === "/.well-known/openid-configuration") {
      const paths = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` };
      const known = {
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256", "HS256", "none"],
      };
      return { status: 200, body: { issuer, ...paths, ...known } };
    }
    if (request.url === "/jwks")
      return { status: 200, body: { keys: [{ ...key.publicKey.export({ format: "jwk" }), kid: key.kid, use: "sig" }] } };
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const asked = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isClient = request.headers.authorization === `Basic ${Buffer.from(`outpost:${clientSecret}`).toString("base64")}`;
    const isRight = asked?.get("code_challenge") === challenge && asked.get("redirect_uri") === form.get("redirect_uri") && isClient;
    if (!isRight) return { status: 400, body: { error: "invalid_grant" } };
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: issuer, aud: "outpost", sub: "1", iat: now, exp: now + 60, nonce: asked.get("nonce") };
    const token = idToken({ ...usual, ...provider.claims }, provider.signs, key);
    return { status: 200, body: provider.says ?? { access_token: "opaque", token_type: "Bearer", id_token: token } };
  }

  const provider: OidcServer = {
    issuer,
    claims: {},
    signs: "rightly",
    says: undefined,
    rotate: () => {
      key = freshKey();
    },
    authorize(location) {
      const { searchParams } = new URL(location);
      const code = crypto.randomUUID();
      codes.set(code, searchParams);
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      return `${back.pathname}?${new URLSearchParams({ code, state: searchParams.get("state") ?? "" }).toString()}`;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return provider;
}

type Key = ReturnType<typeof freshKey>;

function idToken(claims: object, signs: OidcServer["signs"], { privateKey, publicKey, kid }: Key): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const alg = { rightly: "ES256", unknown: "ES256", text: "HS256", none: "none" }[signs];
  const text = `${part({ alg, kid })}.${part(claims)}`;
  const by = (key: KeyObject): Buffer => sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  const made = {
    rightly: () => by(privateKey),
    unknown: () => by(freshKey().privateKey),
    text: () =>
      createHmac("sha256", publicKey.export({ type: "spki", format: "pem" }))
        .update(text)
        .digest(),
    none: () => Buffer.alloc(0),
  };
  return `${text}.${made[signs]().toString("base64url")}`;
}

function freshKey() {
  return { ...generateKeyPairSync("ec", { namedCurve: "P-256" }), kid: crypto.randomUUID() };
}
