import type { FileOutput } from "#contract/operation.ts";
import type { FormAnswer, FormRequest, FormRoute } from "../http/form-routes.ts";
import type { StreamedFile } from "../http/handler.ts";
import { shellTexts } from "../texts/shell.ts";
import { type TraceFile, type TraceLinks, tracesPath } from "./trace-links.ts";
import { createViewerFiles } from "./viewer-files.ts";

export interface ViewerRouteDeps {
  /** `TRACE_VIEWER_URL`. */
  readonly traceViewerUrl: string;
  readonly links: Pick<TraceLinks, "read">;
  /** @throws {AppError} not_found */
  readonly openTrace: (file: TraceFile) => Promise<FileOutput | StreamedFile>;
}

/** Playwright's trace viewer, at a name of its own where nothing else answers: its files for everybody, and traces for whoever brings their token. */
export function viewerRoutes({ traceViewerUrl, links, openTrace }: ViewerRouteDeps): readonly FormRoute[] {
  const { hostname: host } = new URL(traceViewerUrl);
  const fileAt = createViewerFiles();
  const viewer = (path: FormRoute["path"], nameOf: (params: FormRequest["params"]) => string): FormRoute => ({
    method: "GET",
    path,
    host,
    answer: async ({ params, headers }) => {
      const file = fileAt(nameOf(params));
      if (file === undefined) return nothing;
      if (!/\bgzip\b/.test(String(headers["accept-encoding"]))) return file;
      return { ...file, body: file.gzip, headers: { ...file.headers, "content-encoding": "gzip" } };
    },
  });
  return [
    viewer("/", () => "index.html"),
    viewer("/{file}", ({ file = "" }) => file),
    viewer("/assets/{file}", ({ file = "" }) => `assets/${file}`),
    {
      method: "GET",
      path: `${tracesPath}/{name}`,
      host,
      answer: async ({ query }) => {
        const file = links.read(query.get("token") ?? "");
        return file === null ? nothing : { ...nothing, file: await openTrace(file) };
      },
    },
  ];
}

const nothing: FormAnswer = { status: 404, type: "text/plain; charset=utf-8", body: `${shellTexts.noFile}\n` };
