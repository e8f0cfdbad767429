import { z } from "zod";

const form = "must be https://name, or http://name.localhost:PORT on this machine: browsers run the viewer's worker nowhere else";

/** An address of a collector of traces, with a place for the trace's id. */
const TraceUrlTemplate = z.string().trim().refine(isTraceAddress, "must be an http or https URL with {traceId} in it");

export const traceViewerEnv = {
  TRACE_VIEWER_URL: z
    .url({ protocol: /^https?$/, error: form })
    .refine(isSafeOrigin, form)
    .optional()
    .describe(
      "address of Playwright's trace viewer: a host name of its own that leads to the control plane, such as https://traces.example.com, because traces contain untrusted pages. If it is not set, pages show the command that opens a trace",
    ),
  TRACE_URL_TEMPLATE: TraceUrlTemplate.optional().describe(
    "address of a trace in your tracing system, with {traceId}, such as https://grafana.example.com/explore?traceID={traceId}. The page of a result links to it if the target got the trace id (OUTPOST_TRACE_TARGETS of the agent). No link if not set",
  ),
};

/** Where people look at traces: those of browsers, and those of targets. */
export interface TraceSettings {
  /** Without a slash at its end; null: traces are opened on people's own machines. */
  readonly traceViewerUrl: string | null;
  /** With `{traceId}`; null: pages lead to no traces of targets. */
  readonly traceUrlTemplate: string | null;
}

export function traceSettings(e: {
  readonly TRACE_VIEWER_URL?: string | undefined;
  readonly TRACE_URL_TEMPLATE?: string | undefined;
}): TraceSettings {
  return { traceViewerUrl: e.TRACE_VIEWER_URL?.replace(/\/+$/, "") ?? null, traceUrlTemplate: e.TRACE_URL_TEMPLATE ?? null };
}

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

function isTraceAddress(text: string): boolean {
  const url = URL.parse(text.replaceAll("{traceId}", "0"));
  return text.includes("{traceId}") && (url?.protocol === "https:" || url?.protocol === "http:");
}
