import { AppError } from "#domain/app-error.ts";
import { type RoleAccess, roleAllows } from "#domain/key.ts";
import type { AuditWriter } from "../audit/write-audit.ts";
import { auditRequest } from "../http/audit.ts";
import { type AuditedRequest } from "../http/audited-request.ts";
import type { ErrorTold, FormAnswer, FormHead, FormRequest, FormRoute } from "../http/form-routes.ts";
import { actorId, type CountRequest } from "../http/rate-limit.ts";
import type { FieldChange, LocationStore, MemberStore, MembershipRow, NewAuditEntry, ResourceOwner } from "../storage/storage.ts";
import { roleTexts } from "../texts/roles.ts";
import { shellTexts } from "../texts/shell.ts";
import { isOwnOrigin, refuseForeignForm, refuseForgedForm } from "./form-guard.ts";
import { type PlaceName, placeNames } from "./place-names.ts";
import { longestWay, lostForm, returnTo } from "./sign-in/return-to.ts";
import type { SignedIn, SignIns } from "./sign-in/signed-in.ts";

/** A request of somebody who is signed in. */
export interface Visit extends SignedIn {
  readonly request: FormRequest;
  /** Where the user is a member; none where a key signed in. */
  readonly accounts: readonly MembershipRow[];
  readonly placeName: PlaceName;
  /** Writes what was changed to the audit log, before it is answered. `fields` are names; `changes` hold no secrets. */
  readonly audit: (
    operation: string,
    resourceId: string | null,
    fields?: readonly string[],
    changes?: readonly FieldChange[],
  ) => Promise<void>;
  /** What code owns the object that the address names, and whether the page changes it; absent: none. */
  readonly codeOwner?: ResourceOwner & { readonly isChanged: boolean };
}

/** A page of the console, or what takes one of its forms. */
export interface ConsolePage {
  readonly method: FormRoute["method"];
  readonly path: FormRoute["path"];
  /** What the role must allow. */
  readonly access: RoleAccess;
  /** Open also to a sign-in that lacks what the account asks for. */
  readonly isForBarred?: boolean;
  readonly answer: (visit: Visit) => Promise<FormAnswer>;
}

export interface VisitDeps {
  readonly members: Pick<MemberStore, "ofUser">;
  readonly locations: Pick<LocationStore, "list">;
  readonly signIns: Pick<SignIns, "find" | "look">;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly note: AuditWriter["note"];
  readonly countRequest: CountRequest;
  readonly publicUrl: () => string;
  readonly nowMs: () => number;
  /** An error inside the frame of the console. */
  readonly errorPage: (visit: Visit, told: ErrorTold) => FormAnswer;
}

/**
 * Whoever is not signed in is led to where he can, and back; the role and every form are checked before the page sees anything. Pages are counted by
 * person, and his forms as requests of REST.
 */
export function visitRoute(deps: VisitDeps, { method, path, access, isForBarred = false, answer }: ConsolePage): FormRoute {
  const refuseRole = ({ role, account, actor }: Pick<SignedIn, "role" | "account" | "actor">, request: AuditedRequest): void => {
    if (roleAllows(role, access)) return;
    const told = auditRequest(method, request, 403);
    deps.note({ accountId: account.id, atMs: deps.nowMs(), operation: "openPage", resourceId: null, fields: [], actor, request: told });
    throw new AppError("forbidden", shellTexts.mayNot(roleTexts[role]));
  };
  return {
    method,
    path,
    isOfSignedIn: true,
    judge: async (head) => {
      const signedIn = await deps.signIns.look(head.headers);
      if (signedIn === undefined) return redirect(addressAfterForm(head, deps.publicUrl()));
      deps.countRequest("standard", actorId(signedIn.actor));
      refuseForeignForm(head, signedIn.csrf, deps.publicUrl());
      if (signedIn.barred !== null && !isForBarred) return redirect("/profile");
      refuseRole(signedIn, head);
      return undefined;
    },
    answer: async (request) => {
      const signedIn = await deps.signIns.find(request.headers);
      if (signedIn === undefined)
        return redirect(method === "GET" ? signInAddress(request.url) : addressAfterForm(request, deps.publicUrl()));
      if (method === "POST") refuseForgedForm(request, signedIn.csrf, deps.publicUrl());
      else deps.countRequest("pages", actorId(signedIn.actor));
      if (signedIn.barred !== null && !isForBarred) return redirect("/profile");
      refuseRole(signedIn, request);
      return answer(await visitOf(deps, signedIn, request));
    },
    errorPage: async (head, told) => {
      // Where there is too much to do already, the frame is not worth asking for.
      if (told.status === 429 || told.status >= 500) return undefined;
      const signedIn = await deps.signIns.look(head.headers);
      if (signedIn === undefined) return undefined;
      return deps.errorPage(await visitOf(deps, signedIn, { ...head, form: new URLSearchParams() }), told);
    },
  };
}

async function visitOf(deps: VisitDeps, signedIn: SignedIn, request: FormRequest): Promise<Visit> {
  const [accounts, placeName] = await Promise.all([
    signedIn.user === null ? [] : deps.members.ofUser(signedIn.user.id),
    placeNames(deps.locations, signedIn.account.id),
  ]);
  return { ...signedIn, request, accounts, placeName, audit: auditOf(deps, signedIn, request) };
}

function auditOf(
  { audit, nowMs }: VisitDeps,
  { account, actor }: Pick<SignedIn, "account" | "actor">,
  request: FormRequest,
): Visit["audit"] {
  return (operation, resourceId, fields = [], changes = []) =>
    audit({
      accountId: account.id,
      atMs: nowMs(),
      operation,
      resourceId,
      fields,
      changes,
      actor,
      request: auditRequest(request.method, request, 303),
    });
}

/** To a page that is read by GET. */
export function redirect(location: string, cookies: readonly string[] = []): FormAnswer {
  return { status: 303, type: "text/plain; charset=utf-8", body: "", headers: { location }, cookies };
}

/** For somebody whose sign-in ended while a form was open: signing in leads back to the page that the form stood on, as far as the browser names one of ours. */
function addressAfterForm({ headers }: FormHead, publicUrl: string): string {
  const { referer } = headers;
  const page = typeof referer === "string" ? URL.parse(referer) : null;
  if (page === null || !isOwnOrigin({ ...headers, origin: page.origin }, publicUrl)) return "/sign-in";
  const to = returnTo(page.pathname + page.search);
  return to === "/" ? "/sign-in" : `/sign-in?${new URLSearchParams({ to, [lostForm]: "1" }).toString()}`;
}

function signInAddress(url: string): string {
  return url === "/" || url.length > longestWay ? "/sign-in" : `/sign-in?to=${encodeURIComponent(url)}`;
}
