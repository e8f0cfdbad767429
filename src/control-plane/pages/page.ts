import { randomBytes } from "node:crypto";
import type { PageAnswer } from "../http/page-routes.ts";
import type { Html } from "../view/html.ts";
import { baseStyle } from "./base-style.ts";
import { scriptAddress, timesScript } from "./browser-scripts.ts";
import { documentText, sourceOf } from "./document.ts";

export interface PageParts {
  readonly title: string;
  readonly style?: string;
  readonly body: Html;
  /** They may be sent to us, and nowhere else. */
  readonly hasForms?: boolean;
  /** Pictures and videos of ours, which the page shows. */
  readonly showsFiles?: boolean;
  /** Modules of `browser/` that move what the page shows; they may ask us, and nobody else. */
  readonly modules?: readonly string[];
}

/**
 * A whole page. Its policy allows nothing but its own style and our modules, by a hash or a word of this answer alone: no other script, no frame, no
 * third party, so text from users that slipped through could do nothing.
 */
export function page({ title, style = "", body, hasForms = false, showsFiles = false, modules = [] }: PageParts): PageAnswer {
  const css = `${baseStyle}${style}`;
  const script = timesScript(body);
  const nonce = randomBytes(16).toString("base64");
  const allowed = [...(script === "" ? [] : [sourceOf(script)]), ...(modules.length === 0 ? [] : [`'nonce-${nonce}'`])];
  const policy = [
    "default-src 'none'",
    `style-src ${sourceOf(css)}`,
    ...(allowed.length === 0 ? [] : [`script-src ${allowed.join(" ")}`]),
    ...(modules.length === 0 ? [] : ["connect-src 'self'"]),
    ...(showsFiles ? ["img-src 'self' data:", "media-src 'self'"] : ["img-src data:"]),
    "base-uri 'none'",
    `form-action ${hasForms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ];
  return {
    type: "text/html; charset=utf-8",
    body: documentText({ title, css, body, script, modules: modules.map(scriptAddress), nonce }),
    headers: { "content-security-policy": policy.join("; "), "x-frame-options": "DENY" },
  };
}
