import type { Logger } from "#daemon/logger.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { AuditWriter } from "../../audit/write-audit.ts";
import { auditRequest } from "../../http/audit.ts";
import type { FormAnswer, FormRequest, FormRoute } from "../../http/form-routes.ts";
import type { IdentityStore, MemberStore, MembershipRow, NewAuditEntry, UserRow, UserStore } from "../../storage/storage.ts";
import { connectTexts } from "../../texts/second-factor.ts";
import { signInTexts as texts } from "../../texts/sign-in.ts";
import { type JoinByProviderDeps, joinByProvider } from "../people/join-by-provider.ts";
import { redirect } from "../visit.ts";
import { isAskedProof } from "./asked-proof.ts";
import type { KnownBrowsers } from "./known-browser.ts";
import type { OidcProvider, ProvidedPerson } from "./oidc-provider.ts";
import { returnTo } from "./return-to.ts";
import type { SignIns } from "./signed-in.ts";
import { beginFlow, begunFlow, type FlowDeps, type SsoAim } from "./sso-flow.ts";

export interface SsoDeps extends FlowDeps, JoinByProviderDeps {
  readonly provider: OidcProvider;
  readonly users: Pick<UserStore, "byEmail">;
  readonly identities: Pick<IdentityStore, "user" | "connect">;
  readonly members: Pick<MemberStore, "ofUser">;
  readonly signIns: SignIns;
  readonly browsers: KnownBrowsers;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly note: AuditWriter["note"];
  readonly nowMs: () => number;
  readonly log: Logger;
}

/**
 * Who is connected to the provider signs in without a password: found by issuer and subject, never by an address, which the provider may give to
 * somebody else. Connecting is done by whoever is signed in, or was invited under the address that the provider has verified.
 */
export function ssoRoutes(deps: SsoDeps): readonly FormRoute[] {
  return [
    { method: "GET", path: "/sign-in/sso", answer: ({ query }) => begin(deps, aimOf(query)) },
    {
      method: "GET",
      path: "/join/{token}/sso",
      answer: ({ params }) => begin(deps, { aim: "join", invitation: deps.invitationHash(params["token"] ?? "") }),
    },
    { method: "GET", path: deps.callbackPath, answer: (request) => callback(deps, request) },
  ];
}

function aimOf(query: URLSearchParams): SsoAim {
  const proof = query.get("connect");
  return proof === null ? { aim: "enter", to: returnTo(query.get("to")) } : { aim: "connect", proof: proof.slice(0, 200) };
}

async function begin(deps: SsoDeps, aim: SsoAim): Promise<FormAnswer> {
  const { flow, cookie } = beginFlow(deps, aim);
  return redirect(await deps.provider.authorizationUrl(flow), [cookie]);
}

async function callback(deps: SsoDeps, request: FormRequest): Promise<FormAnswer> {
  const { flow, aim } = begunFlow(deps, request);
  if (request.query.has("error") || !request.query.has("code")) throw new AppError("forbidden", texts.providerRefused);
  const person = await deps.provider.personOf(flow, request.query).catch((error: unknown) => {
    deps.log.warn(
      { requestId: request.id, reason: error instanceof Error ? error.message : String(error) },
      "a sign-in with the provider failed",
    );
    throw error;
  });
  if (aim.aim === "connect") return connect(deps, request, aim.proof, person);
  if (aim.aim === "join") return joinByProvider(deps, request, aim.invitation, person);
  return enter(deps, request, aim.to, person);
}

async function enter(deps: SsoDeps, request: FormRequest, to: string, person: ProvidedPerson): Promise<FormAnswer> {
  const user = await deps.identities.user(person);
  const [first] = await deps.members.ofUser(user?.id ?? 0);
  if (user === undefined || first === undefined) throw await refused(deps, request, person);
  const cookies = await deps.signIns.open(request.headers, first.accountId, { userId: user.id, method: "provider" });
  noteSignIn(deps, request, user, first, 303);
  return redirect(to, [...cookies, deps.browsers.remember(user.email), deps.cookies.sso.clear()]);
}

/** An address tells whom to help, and lets nobody in. */
async function refused(deps: SsoDeps, request: FormRequest, { email }: ProvidedPerson): Promise<AppError> {
  if (email === null) return new AppError("forbidden", texts.unverified);
  const user = await deps.users.byEmail(email);
  const [first] = await deps.members.ofUser(user?.id ?? 0);
  if (user === undefined || first === undefined) return new AppError("forbidden", texts.stranger(email));
  noteSignIn(deps, request, user, first, 403);
  return new AppError("forbidden", connectTexts.notConnected(email));
}

function noteSignIn(
  { note, nowMs }: SsoDeps,
  request: FormRequest,
  { uuid, email }: UserRow,
  { accountId, role }: MembershipRow,
  status: number,
): void {
  const actor = { userId: uuid, userName: email, role };
  const told = auditRequest("GET", request, status);
  note({ accountId, atMs: nowMs(), operation: "signIn", resourceId: null, fields: ["provider"], actor, request: told });
}

/** For the sign-in alone that asked, in the browser that asked. */
async function connect(deps: SsoDeps, request: FormRequest, proof: string, person: ProvidedPerson): Promise<FormAnswer> {
  const signedIn = await deps.signIns.find(request.headers);
  const asking = { hashOf: deps.hashOf, askedFor: "sso-connect", nowMs: deps.nowMs() } as const;
  const isAsked = signedIn !== undefined && isAskedProof({ ...asking, tokenHash: signedIn.tokenHash }, proof);
  if (!isAsked || signedIn.user === null) throw new AppError("forbidden", connectTexts.notYours);
  const { user, account, actor } = signedIn;
  await deps.identities.connect(user.id, person, deps.nowMs()).catch((cause: unknown) => {
    if (hasCode(cause, "conflict")) throw new AppError("conflict", connectTexts.taken, { cause });
    throw cause;
  });
  await deps.audit({
    accountId: account.id,
    atMs: deps.nowMs(),
    operation: "connectProvider",
    resourceId: user.uuid,
    fields: ["identity"],
    actor,
    request: auditRequest("GET", request, 303),
  });
  return redirect("/profile?done=connected", [deps.cookies.sso.clear()]);
}
