import { sourceOf } from "../pages/document.ts";

/** Of a page of the viewer: its own files and inline scripts, what its worker answers, and nobody else. @param page its markup */
export function viewerPolicy(page: string): string {
  const inline = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = ""]) => sourceOf(script));
  return [
    "default-src 'none'",
    ["script-src 'self'", ...inline].join(" "),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self' blob:",
    "worker-src 'self'",
    "manifest-src 'self'",
    "frame-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}
