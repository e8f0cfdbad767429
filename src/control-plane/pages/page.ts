import { createHash } from "node:crypto";
import type { PageAnswer } from "../http/page-routes.ts";
import { baseStyle } from "./base-style.ts";
import { type Html, html } from "./html.ts";

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
  const hash = createHash("sha256").update(css).digest("base64");
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>`;
  return {
    type: "text/html; charset=utf-8",
    // The style goes in unescaped: it is ours, and the policy holds its hash.
    body: `${document.text}${css}</style>\n</head>\n<body>\n${body.text}\n</body>\n</html>\n`,
    headers: {
      "content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action ${hasForms ? "'self'" : "'none'"}; frame-ancestors 'none'`,
      "x-frame-options": "DENY",
    },
  };
}
