import { AppError } from "#domain/app-error.ts";
import type { Headers } from "../http/authenticate.ts";
import type { FormHead, FormRequest } from "../http/form-routes.ts";
import { isSameText } from "../keys/same-text.ts";
import { shellTexts } from "../texts/shell.ts";

/** Name of the field that every form brings its token in. */
export const csrfField = "csrf";

/** What only pages of this browser can know: derived from its cookie, which no page and no other site can read. */
export function csrfOf(hashOf: (secret: string) => string, cookieToken: string): string {
  return hashOf(`csrf:${cookieToken}`);
}

/**
 * Refuses what no page of ours has sent: a form of another site, or one that is older than the sign-in.
 *
 * @param csrf what the form must bring; undefined where the browser brought no cookie
 * @throws {AppError} forbidden
 */
export function refuseForgedForm({ headers, form }: FormRequest, csrf: string | undefined, publicUrl: string): void {
  if (csrf !== undefined && isSameText(form.get(csrfField) ?? "", csrf) && isOwnOrigin(headers, publicUrl)) return;
  throw new AppError("forbidden", shellTexts.outOfDate);
}

/** The half of `refuseForgedForm` that needs no body. @throws {AppError} forbidden */
export function refuseForeignForm({ headers }: FormHead, csrf: string | undefined, publicUrl: string): void {
  if (csrf === undefined || !isOwnOrigin(headers, publicUrl)) throw new AppError("forbidden", shellTexts.outOfDate);
}

/** Without Origin and Sec-Fetch-Site it is no browser of these years, and the token alone counts. */
export function isOwnOrigin(headers: Headers, publicUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin, host } = headers;
  if (origin === undefined) return true;
  const parsed = typeof origin === "string" ? URL.parse(origin) : null;
  return parsed !== null && (parsed.host === host || parsed.origin === URL.parse(publicUrl)?.origin);
}
