import type { Logger } from "#daemon/logger.ts";
import type { ProxySettings } from "#daemon/proxy.ts";
import type { Service } from "#daemon/service.ts";
import { AppError } from "#domain/app-error.ts";
import type { AuditWriter } from "../audit/write-audit.ts";
import { auditRequest } from "../http/audit.ts";
import type { FormRoute, FormRoutes } from "../http/form-routes.ts";
import type { LiveRoute } from "../http/live-routes.ts";
import type { CountRequest } from "../http/rate-limit.ts";
import type { Sealing } from "../keys/sealing.ts";
import type { Letters } from "../mail/letters.ts";
import type { KeyRow, NewAuditEntry, Storage } from "../storage/storage.ts";
import { shellTexts } from "../texts/shell.ts";
import { respondRoutes } from "./alerts/respond-routes.ts";
import { appearancePages } from "./appearance/appearance-pages.ts";
import type { ConsolePages } from "./console-pages.ts";
import { refuseForgedForm } from "./form-guard.ts";
import { liveRoute } from "./live/live-routes.ts";
import { createLiveSignIns } from "./live/live-sign-ins.ts";
import { invitationHash } from "./people/invitation-token.ts";
import { joinRoutes } from "./people/join.ts";
import { memberPages } from "./people/members.ts";
import { profilePages } from "./people/profile.ts";
import { setUpRoutes } from "./people/set-up.ts";
import { consoleErrorPage, errorPage, noPage } from "./shell.ts";
import { createAttempts } from "./sign-in/attempts.ts";
import { consoleCookies } from "./sign-in/cookies.ts";
import { createEntering } from "./sign-in/enter.ts";
import { forgottenRoutes } from "./sign-in/forgotten.ts";
import { createKnownBrowsers } from "./sign-in/known-browser.ts";
import { newPasswordRoutes } from "./sign-in/new-password.ts";
import { createOidcProvider } from "./sign-in/oidc-provider.ts";
import type { OidcSettings } from "./sign-in/oidc-settings.ts";
import { createPasswords, type Passwords } from "./sign-in/password.ts";
import { createSecondFactors } from "./sign-in/second-factors.ts";
import { secondStepRoutes } from "./sign-in/second-step.ts";
import { signInRoutes } from "./sign-in/sign-in.ts";
import { createSignIns, type SignIns } from "./sign-in/signed-in.ts";
import { type SsoDeps, ssoRoutes } from "./sign-in/sso.ts";
import { createVisitors } from "./sign-in/visitors.ts";
import { type ConsolePage, redirect, visitRoute } from "./visit.ts";

export interface ConsoleDeps
  extends Pick<
    Storage,
    | "accounts"
    | "keys"
    | "users"
    | "members"
    | "invitations"
    | "passwordResets"
    | "signIns"
    | "secondFactors"
    | "halfSignIns"
    | "identities"
    | "alertEpisodes"
    | "locations"
    | "documents"
  > {
  readonly hashOf: (secret: string) => string;
  readonly sealing: Sealing;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly note: AuditWriter["note"];
  readonly noteUse: (key: KeyRow) => void;
  readonly countRequest: CountRequest;
  readonly publicUrl: () => string;
  /** Browsers reach the console by https. */
  readonly isSecure: boolean;
  readonly oidc: OidcSettings | null;
  readonly proxies: ProxySettings;
  readonly letters: Letters;
  readonly log: Logger;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly passwords?: Passwords;
}

export interface Console {
  readonly forms: FormRoutes;
  readonly live: readonly LiveRoute[];
  /** What tells pages that are open. */
  readonly services: readonly Service[];
  /** For `createAuthenticate`. */
  readonly signedIn: SignIns["ofScript"];
}

/** The pages of people: signing in and out, and all that needs somebody who is signed in. The second are those of other rooms. */
export function consoleRoutes(deps: ConsoleDeps, { pages, shared: sharedPages, livePages, hub }: ConsolePages): Console {
  const cookies = consoleCookies(deps.isSecure);
  const visitors = createVisitors({ ...deps, cookies });
  const attempts = createAttempts(deps.monotonicMs);
  const { passwords = createPasswords() } = deps;
  const signIns = createSignIns({ ...deps, cookies });
  const browsers = createKnownBrowsers(cookies, deps.hashOf);
  const bound = createLiveSignIns(signIns, deps.log);
  const secondFactors = createSecondFactors(deps);
  const entering = createEntering({ ...deps, cookies, signIns, browsers, secondFactors });
  const codeAttempts = createAttempts(deps.monotonicMs);
  const shared = { ...deps, cookies, visitors, attempts, codeAttempts, browsers, passwords, signIns, secondFactors, entering };
  const ssoName = deps.oidc?.name ?? null;
  const visits = [...memberPages(deps), ...profilePages(shared), switchAccount(deps), ...appearancePages(deps), ...pages];
  return {
    forms: {
      routes: [
        ...signInRoutes({ ...shared, ssoName, canReset: deps.letters.canSend }),
        ...secondStepRoutes(shared),
        ...(deps.oidc === null ? [] : providerRoutes(shared, deps.oidc)),
        signOut(shared),
        ...respondRoutes(deps),
        ...sharedPages,
        ...setUpRoutes(shared),
        ...(deps.letters.canSend
          ? [...forgottenRoutes({ ...shared, attempts: createAttempts(deps.monotonicMs) }), ...newPasswordRoutes(shared)]
          : []),
        ...joinRoutes({ ...shared, ssoName, canReset: deps.letters.canSend }),
        ...visits.map((page) => visitRoute({ ...shared, errorPage: consoleErrorPage }, page)),
      ],
      errorPage,
      noPage,
    },
    live: livePages.map((page) => liveRoute({ ...deps, signIns, bound, hub }, page)),
    services: [hub, bound],
    signedIn: signIns.ofScript,
  };
}

function providerRoutes(
  shared: Omit<SsoDeps, "provider" | "callbackPath" | "invitationHash"> & Pick<ConsoleDeps, "proxies">,
  oidc: OidcSettings,
): readonly FormRoute[] {
  return ssoRoutes({
    ...shared,
    provider: createOidcProvider(oidc, shared.proxies, shared.nowMs),
    callbackPath: "/sign-in/sso/callback",
    invitationHash: (token) => invitationHash(shared.hashOf, token),
  });
}

/** A sign-in that is over already is no error; and a form of another site, which brings no cookie, takes none away. */
function signOut({
  signIns,
  publicUrl,
  note,
  nowMs,
}: Pick<ConsoleDeps, "note" | "publicUrl" | "nowMs"> & { readonly signIns: SignIns }): FormRoute {
  return {
    method: "POST",
    path: "/sign-out",
    judge: async ({ headers }) => ((await signIns.look(headers)) === undefined ? redirect("/sign-in") : undefined),
    answer: async (request) => {
      const signedIn = await signIns.find(request.headers);
      if (signedIn === undefined) return redirect("/sign-in");
      refuseForgedForm(request, signedIn.csrf, publicUrl());
      const { account, actor } = signedIn;
      const told = auditRequest("POST", request, 303);
      note({ accountId: account.id, atMs: nowMs(), operation: "signOut", resourceId: null, fields: [], actor, request: told });
      return redirect("/sign-in", await signIns.end(request.headers));
    },
  };
}

/** Goes on in another account of the same user. */
function switchAccount({ signIns }: Pick<ConsoleDeps, "signIns">): ConsolePage {
  return {
    method: "POST",
    path: "/account",
    access: "read",
    isForBarred: true,
    answer: async ({ request, tokenHash }) => {
      if (await signIns.move(tokenHash, (request.form.get("account") ?? "").toLowerCase())) return redirect("/");
      throw new AppError("not_found", shellTexts.noAccount);
    },
  };
}
