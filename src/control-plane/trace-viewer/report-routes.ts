import { extname } from "node:path";
import type { FileOutput } from "#contract/operation.ts";
import type { FormAnswer, FormRoute } from "../http/form-routes.ts";
import type { StreamedFile } from "../http/handler.ts";
import { shellTexts } from "../texts/shell.ts";
import { fileOfReport } from "./report-files.ts";
import { type ReportLinks, reportsPath } from "./report-links.ts";
import type { TraceFile } from "./trace-links.ts";

/**
 * What a report may do: it came from users' code. `sandbox` gives it an origin of its own, so it has no cookies, no storage and no way into the
 * console; it asks nobody but for its own files, whose address is their only key.
 */
const reportPolicy = [
  "sandbox allow-scripts allow-downloads",
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Playwright's page keeps its settings in a storage that an origin of its own does not have. */
const storage = `<script>for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { value: {} });</script>`;

/** Of what is shown; all else is there to be saved. */
const shownTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".webm": "video/webm",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/plain; charset=utf-8",
};

export interface ReportRouteDeps {
  readonly links: Pick<ReportLinks, "read">;
  /** @throws {AppError} not_found */
  readonly openReport: (file: TraceFile) => Promise<FileOutput | StreamedFile>;
}

/** Playwright's HTML reports of suites, for whoever brings a token of theirs. */
export function reportRoutes({ links, openReport }: ReportRouteDeps): readonly FormRoute[] {
  const fileFor = async (token: string, name: string): Promise<Buffer | null> => {
    const report = links.read(token);
    return report === null ? null : fileOfReport(await openReport(report), name);
  };
  const route = (path: string, answer: (token: string, file: string) => Promise<FormAnswer>): FormRoute => ({
    method: "GET",
    path: `${reportsPath}/{token}/${path}`,
    answer: async ({ params: { token = "", file = "" } }) => answer(token, file),
  });
  return [
    route("index.html", async (token) => {
      const page = await fileFor(token, "index.html");
      return page === null ? nothing : shown("text/html; charset=utf-8", Buffer.concat([Buffer.from(`<!DOCTYPE html>${storage}`), page]));
    }),
    route("data/{file}", async (token, file) => {
      const bytes = await fileFor(token, `data/${file}`);
      if (bytes === null) return nothing;
      const type = shownTypes[extname(file).toLowerCase()];
      return type === undefined ? saved(bytes) : shown(type, bytes);
    }),
    // The viewer that a report brings needs a worker, which such an origin has none.
    route("trace/{file}", async () => ({ ...nothing, body: `${shellTexts.traceOfReport}\n` })),
  ];
}

function shown(type: string, body: Buffer): FormAnswer {
  return { type, body, headers: { "content-security-policy": reportPolicy } };
}

function saved(body: Buffer): FormAnswer {
  const headers = { "content-security-policy": "default-src 'none'; sandbox", "content-disposition": "attachment" };
  return { type: "application/octet-stream", body, headers };
}

const nothing: FormAnswer = {
  status: 404,
  type: "text/plain; charset=utf-8",
  body: `${shellTexts.noFile}\n`,
  headers: { "content-security-policy": "default-src 'none'; sandbox" },
};
