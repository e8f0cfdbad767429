import { randomBytes } from "node:crypto";
import type { Logger } from "#daemon/logger.ts";
import { AppError } from "#domain/app-error.ts";
import type { AuditWriter } from "../../audit/write-audit.ts";
import { auditRequest } from "../../http/audit.ts";
import type { FormRequest, FormRoute } from "../../http/form-routes.ts";
import type { MemberStore, UserStore } from "../../storage/storage.ts";
import { signInTexts as texts } from "../../texts/sign-in.ts";
import { isSameText } from "../form-guard.ts";
import { redirect } from "../visit.ts";
import type { ConsoleCookies } from "./cookies.ts";
import type { KnownBrowsers } from "./known-browser.ts";
import type { OidcFlow, OidcProvider } from "./oidc-provider.ts";
import { returnTo } from "./return-to.ts";
import type { SignIns } from "./signed-in.ts";

export interface SsoDeps {
  readonly provider: OidcProvider;
  readonly users: Pick<UserStore, "byEmail">;
  readonly members: Pick<MemberStore, "ofUser">;
  readonly signIns: SignIns;
  readonly cookies: ConsoleCookies;
  readonly browsers: KnownBrowsers;
  readonly hashOf: (secret: string) => string;
  readonly publicUrl: () => string;
  readonly note: AuditWriter["note"];
  readonly nowMs: () => number;
  readonly log: Logger;
}

/** How long somebody may take at the provider. */
const maxAgeSeconds = 900;
const callbackPath = "/sign-in/sso/callback";

/** Members whose address the provider vouches for sign in without a password. It makes nobody a member. */
export function ssoRoutes(deps: SsoDeps): readonly FormRoute[] {
  return [
    {
      method: "GET",
      path: "/sign-in/sso",
      answer: async ({ query }) => {
        const token = randomBytes(32).toString("base64url");
        const flow = flowOf(deps, token, returnTo(query.get("to")));
        return redirect(await deps.provider.authorizationUrl(flow), [deps.cookies.sso.set(token, maxAgeSeconds)]);
      },
    },
    { method: "GET", path: callbackPath, answer: (request) => callback(deps, request) },
  ];
}

/** All of it follows from the cookie, so that what the provider sends back counts in this browser alone, and nothing is kept here. */
function flowOf({ hashOf, publicUrl }: SsoDeps, token: string, to: string): OidcFlow {
  const back = Buffer.from(to).toString("base64url");
  return {
    state: `${hashOf(`sso-state:${token}:${back}`)}.${back}`,
    nonce: hashOf(`sso-nonce:${token}`),
    verifier: hashOf(`sso-verifier:${token}`),
    redirectUri: publicUrl() + callbackPath,
  };
}

async function callback(deps: SsoDeps, request: FormRequest): ReturnType<FormRoute["answer"]> {
  const { flow, to } = begunFlow(deps, request);
  if (request.query.has("error") || !request.query.has("code")) throw new AppError("forbidden", texts.providerRefused);
  const email = await deps.provider.emailOf(flow, request.query).catch((error: unknown) => {
    deps.log.warn(
      { requestId: request.id, reason: error instanceof Error ? error.message : String(error) },
      "a sign-in with the provider failed",
    );
    throw error;
  });
  if (email === null) throw new AppError("forbidden", texts.unverified);
  const user = await deps.users.byEmail(email);
  const [first] = await deps.members.ofUser(user?.id ?? 0);
  if (user === undefined || first === undefined) throw new AppError("forbidden", texts.stranger(email));
  const cookies = await deps.signIns.open(request.headers, first.accountId, { userId: user.id });
  deps.note({
    accountId: first.accountId,
    atMs: deps.nowMs(),
    operation: "signIn",
    resourceId: null,
    fields: ["provider"],
    actor: { userId: user.uuid, userName: user.email, role: first.role },
    request: auditRequest("GET", request, 303),
  });
  return redirect(to, [...cookies, deps.browsers.remember(user.email), deps.cookies.sso.clear()]);
}

/** @throws {AppError} forbidden for a sign-in that did not begin in this browser */
function begunFlow(deps: SsoDeps, { headers, query }: FormRequest): { readonly flow: OidcFlow; readonly to: string } {
  const token = deps.cookies.sso.read(headers);
  const state = query.get("state") ?? "";
  const to = returnTo(Buffer.from(state.split(".")[1] ?? "", "base64url").toString("utf8"));
  const flow = token === undefined ? undefined : flowOf(deps, token, to);
  if (flow !== undefined && isSameText(state, flow.state)) return { flow, to };
  throw new AppError("forbidden", texts.outOfDate);
}
