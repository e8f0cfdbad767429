import { randomBytes } from "node:crypto";
import type { FormAnswer, FormHead, FormRequest } from "../../http/form-routes.ts";
import type { PageAnswer } from "../../http/page-routes.ts";
import { csrfOf, refuseForeignForm, refuseForgedForm } from "../form-guard.ts";
import type { ConsoleCookies } from "./cookies.ts";

/** Forms of people who are not signed in: each is bound to a browser by a cookie of its own. */
export interface Visitors {
  /** A page with the token for its forms; the cookie comes with it where the browser has none. */
  show(request: FormRequest, page: (csrf: string) => PageAnswer): FormAnswer;
  /** For `FormRoute`: whether the browser has such a cookie, and sends a form of ours. @throws {AppError} forbidden */
  readonly judge: (head: FormHead) => Promise<undefined>;
  /** @throws {AppError} forbidden */
  refuseForged(request: FormRequest): void;
}

const maxAgeSeconds = 86_400;

export function createVisitors(deps: {
  readonly cookies: ConsoleCookies;
  readonly hashOf: (secret: string) => string;
  readonly publicUrl: () => string;
}): Visitors {
  const { visitor } = deps.cookies;
  return {
    show({ headers }, page) {
      const known = visitor.read(headers);
      const token = known ?? randomBytes(32).toString("base64url");
      return { ...page(csrfOf(deps.hashOf, token)), cookies: known === undefined ? [visitor.set(token, maxAgeSeconds)] : [] };
    },
    judge: async (head) => {
      refuseForeignForm(head, visitor.read(head.headers), deps.publicUrl());
    },
    refuseForged(request) {
      const token = visitor.read(request.headers);
      refuseForgedForm(request, token && csrfOf(deps.hashOf, token), deps.publicUrl());
    },
  };
}
