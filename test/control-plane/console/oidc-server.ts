import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface OidcServer extends AsyncDisposable {
  readonly issuer: string;
  /** What it says of who signs in; each sign-in may change it. */
  claims: Readonly<Record<string, unknown>>;
  /** Makes it sign with a key of its own from now on. */
  readonly rotate: () => void;
  /** Signs with a key that it tells nobody of. */
  signsWrongly: boolean;
  /** Signs somebody in: where the browser is sent back to. */
  readonly authorize: (location: string) => string;
}

/** An OpenID Connect provider that lets everybody in, and holds the client to PKCE and to its secret. */
export async function oidcServer(clientSecret: string): Promise<OidcServer> {
  let key = freshKey();
  const codes = new Map<string, URLSearchParams>();
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    if (request.url === "/.well-known/openid-configuration") {
      const paths = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` };
      return { status: 200, body: { issuer, ...paths } };
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
    const usual = { iss: issuer, aud: "outpost", iat: now, exp: now + 60, nonce: asked.get("nonce") };
    const signer = provider.signsWrongly ? freshKey() : key;
    return { status: 200, body: { id_token: idToken({ ...usual, ...provider.claims }, signer.privateKey, key.kid) } };
  }

  const provider: OidcServer = {
    issuer,
    claims: {},
    signsWrongly: false,
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

export function idToken(claims: object, key: KeyObject, kid: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "ES256", kid })}.${part(claims)}`;
  return `${text}.${sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

function freshKey() {
  return { ...generateKeyPairSync("ec", { namedCurve: "P-256" }), kid: crypto.randomUUID() };
}
