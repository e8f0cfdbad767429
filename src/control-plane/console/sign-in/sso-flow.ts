import { randomBytes } from "node:crypto";
import { AppError } from "#domain/app-error.ts";
import type { FormRequest } from "../../http/form-routes.ts";
import { isSameText } from "../../keys/same-text.ts";
import { signInTexts as texts } from "../../texts/sign-in.ts";
import type { ConsoleCookies } from "./cookies.ts";
import type { OidcFlow } from "./oidc-provider.ts";

/** What somebody goes to the provider for. */
export type SsoAim =
  | { readonly aim: "enter"; readonly to: string }
  /** See `asked-proof.ts`. */
  | { readonly aim: "connect"; readonly proof: string }
  /** The hash under which the invitation is stored: its token is not for the provider. */
  | { readonly aim: "join"; readonly invitation: string };

export interface FlowDeps {
  readonly cookies: ConsoleCookies;
  readonly hashOf: (secret: string) => string;
  readonly publicUrl: () => string;
  readonly callbackPath: `/${string}`;
}

/** How long somebody may take at the provider. */
const maxAgeSeconds = 900;

/** @returns the cookie that binds what comes back to this browser */
export function beginFlow(deps: FlowDeps, aim: SsoAim): { readonly flow: OidcFlow; readonly cookie: string } {
  const token = randomBytes(32).toString("base64url");
  return { flow: flowOf(deps, token, JSON.stringify(aim)), cookie: deps.cookies.sso.set(token, maxAgeSeconds) };
}

/** All of it follows from the cookie, so that what the provider sends back counts in this browser alone, and nothing is kept here. */
function flowOf({ hashOf, publicUrl, callbackPath }: FlowDeps, token: string, aim: string): OidcFlow {
  const back = Buffer.from(aim).toString("base64url");
  return {
    state: `${hashOf(`sso-state:${token}:${back}`)}.${back}`,
    nonce: hashOf(`sso-nonce:${token}`),
    verifier: hashOf(`sso-verifier:${token}`),
    redirectUri: publicUrl() + callbackPath,
  };
}

/** @throws {AppError} forbidden for a sign-in that did not begin in this browser */
export function begunFlow(deps: FlowDeps, { headers, query }: FormRequest): { readonly flow: OidcFlow; readonly aim: SsoAim } {
  const token = deps.cookies.sso.read(headers);
  const state = query.get("state") ?? "";
  const aim = Buffer.from(state.split(".")[1] ?? "", "base64url").toString("utf8");
  const flow = token === undefined ? undefined : flowOf(deps, token, aim);
  if (flow !== undefined && isSameText(state, flow.state)) return { flow, aim: ours(aim) };
  throw new AppError("forbidden", texts.outOfDate);
}

/** The state has shown that `beginFlow` wrote it. */
function ours(aim: string): SsoAim {
  return JSON.parse(aim) as SsoAim;
}
