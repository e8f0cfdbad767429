import type { PageAnswer } from "../http/page-routes.ts";
import { baseStyle } from "./base-style.ts";
import { documentText, styleSource } from "./document.ts";
import type { Html } from "./html.ts";

export interface PageParts {
  readonly title: string;
  readonly style?: string;
  readonly body: Html;
  /** They may be sent to us, and nowhere else. */
  readonly hasForms?: boolean;
}

/**
 * A whole page. Its policy allows nothing but its own style: no script, no frame, no third party, so text from users
 * that slipped through could do nothing.
 */
export function page({ title, style = "", body, hasForms = false }: PageParts): PageAnswer {
  const css = `${baseStyle}${style}`;
  return {
    type: "text/html; charset=utf-8",
    body: documentText({ title, css, body }),
    headers: {
      "content-security-policy": `default-src 'none'; style-src ${styleSource(css)}; img-src data:; base-uri 'none'; form-action ${hasForms ? "'self'" : "'none'"}; frame-ancestors 'none'`,
      "x-frame-options": "DENY",
    },
  };
}
