import { z } from "zod";

const form = "must be https://name, or http://name.localhost:PORT on this machine: browsers run the viewer's worker nowhere else";

export const traceViewerEnv = {
  TRACE_VIEWER_URL: z
    .url({ protocol: /^https?$/, error: form })
    .refine(isSafeOrigin, form)
    .optional()
    .describe(
      "where Playwright's trace viewer is served: an address with a host of its own that leads here too, such as https://traces.example.com, as what a trace carries runs there; when absent, pages tell the command that opens a trace",
    ),
};

interface Addresses {
  readonly TRACE_VIEWER_URL?: string | undefined;
  readonly PUBLIC_URL?: string | undefined;
  readonly PING_URL?: string | undefined;
  readonly HOST: string;
}

/** What only shows in several variables together. */
export function traceViewerProblems({
  TRACE_VIEWER_URL: url,
  PUBLIC_URL,
  PING_URL,
  HOST,
}: Addresses): readonly { readonly name: string; readonly message: string }[] {
  const hostOf = (address: string | undefined): string | undefined => URL.parse(address ?? "")?.hostname; // others are told of anyway
  const own = hostOf(url);
  if (own === undefined) return [];
  return [HOST, hostOf(PUBLIC_URL), hostOf(PING_URL)].includes(own)
    ? [{ name: "TRACE_VIEWER_URL", message: "must have a host of its own: not HOST, nor that of PUBLIC_URL or PING_URL" }]
    : [];
}

function isSafeOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "") return false;
  return url.protocol === "https:" || /(^|\.)localhost$/.test(url.hostname);
}
