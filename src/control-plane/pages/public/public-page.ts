import { createHash } from "node:crypto";
import type { PageAnswer } from "../../http/page-routes.ts";
import { type Html, html } from "../../view/html.ts";
import { baseStyle } from "../base-style.ts";
import { timesScript } from "../browser-scripts.ts";
import { documentText, sourceOf } from "../document.ts";

export interface PublicPage {
  readonly title: string;
  readonly description?: string | null;
  /** Of the page's kind: ours, so that it may stand in the document. */
  readonly style: string;
  /** Address of a style that users wrote; it is never part of the document. */
  readonly stylesheet?: string | null;
  readonly scheme?: "light" | "dark" | "light dark";
  readonly favicon: string | null;
  /** Addresses of pictures from elsewhere; only their origins are allowed. */
  readonly images: readonly (string | null)[];
  readonly canSendForms?: boolean;
  readonly feeds?: readonly { readonly type: string; readonly href: string; readonly title: string }[];
  readonly body: Html;
  readonly status?: number;
  /** Whose answer may be kept: everybody's for so many seconds, or nobody's. */
  readonly maxAgeSeconds: number | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A page for people without a key: nothing runs in it but what tells times in the reader's zone, and it loads nothing but pictures from the origins that it
 * names, over https.
 */
export function publicPage(wanted: PublicPage): PageAnswer {
  const { title, style, stylesheet = null, scheme = "light dark", favicon, feeds = [] } = wanted;
  const css = `${baseStyle}${style}`;
  const script = timesScript(wanted.body);
  const head = html`${wanted.description && html`<meta name="description" content="${wanted.description}">\n`}
${feeds.map(({ type, href, title: of }) => html`<link rel="alternate" type="${type}" href="${href}" title="${of}">\n`)}
${stylesheet !== null && html`<link rel="stylesheet" href="${stylesheet}">`}`;
  return {
    status: wanted.status ?? 200,
    type: "text/html; charset=utf-8",
    body: documentText({
      title,
      css,
      scheme,
      icon: httpsOnly(favicon) ?? "data:,",
      head,
      body: wanted.body,
      script,
    }),
    headers: {
      ...wanted.headers,
      "content-security-policy": policyOf(css, script, wanted),
      "x-frame-options": "DENY",
      "cache-control": wanted.maxAgeSeconds === null ? "private, no-store" : `public, max-age=${wanted.maxAgeSeconds}`,
    },
  };
}

/** A style that users wrote, or one that was made of what they chose. Whatever it holds, a browser takes it for nothing else. */
export function stylesheet(css: string, isPrivate: boolean): PageAnswer {
  return {
    type: "text/css; charset=utf-8",
    body: css,
    headers: {
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      // Its address changes with it.
      "cache-control": `${isPrivate ? "private" : "public"}, max-age=3600`,
    },
  };
}

/** Tells two texts apart in an address. */
export function fingerprint(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Pictures come over https, or not at all. */
export function httpsOnly(address: string | null | undefined): string | null {
  return originOf(address) === null ? null : (address ?? null);
}

/** Only what a browser opens; nothing that runs in the page. */
export function webLink(address: string | null | undefined): string | null {
  const url = address ? URL.parse(address) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

function policyOf(css: string, script: string, { stylesheet: sheet = null, images, favicon, canSendForms = false }: PublicPage): string {
  const origins = [...new Set([...images, favicon].flatMap((address) => originOf(address) ?? []))];
  return [
    "default-src 'none'",
    `style-src ${sourceOf(css)}${sheet === null ? "" : " 'self'"}`,
    ...(script === "" ? [] : [`script-src ${sourceOf(script)}`]),
    ["img-src data:", ...origins].join(" "),
    "base-uri 'none'",
    `form-action ${canSendForms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The origin of an address over https; it consists of what a policy may hold. */
function originOf(address: string | null | undefined): string | null {
  const url = address ? URL.parse(address) : null;
  return url?.protocol === "https:" && /^https:\/\/[\w.:[\]-]+$/.test(url.origin) ? url.origin : null;
}
