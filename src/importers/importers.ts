import { importBlackbox } from "./blackbox/blackbox.ts";
import { importCurl } from "./curl/curl.ts";
import { importGatus } from "./gatus/gatus.ts";
import type { Imported } from "./imported.ts";
import { importKuma } from "./kuma/kuma.ts";
import { importOpenApi } from "./openapi/openapi.ts";

/** Makes first checks of a file that a user has already. */
export interface Importer {
  /** What the file is, for people. */
  readonly title: string;
  /**
   * Pure: it reads no other file and no environment.
   *
   * @throws {AppError} invalid_input when the file is not of its kind at all; the message names the line where it can
   */
  readonly read: (text: string) => Imported;
}

/** A new importer is a line here. */
export const importers = {
  openapi: { title: "an OpenAPI 3 document, in YAML or JSON", read: importOpenApi },
  curl: { title: "curl commands, one after the other", read: importCurl },
  blackbox: { title: "a configuration of blackbox_exporter and, after a line ---, of Prometheus", read: importBlackbox },
  gatus: { title: "a configuration of Gatus", read: importGatus },
  kuma: { title: "a backup of Uptime Kuma, as JSON", read: importKuma },
} as const satisfies Readonly<Record<string, Importer>>;
