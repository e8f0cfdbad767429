import { openApiDocument } from "#contract/openapi.ts";
import { operations } from "#contract/operations.ts";
import { version } from "#daemon/version.ts";

/** Prints the OpenAPI document of the REST API. @returns the exit code */
export async function main(): Promise<number> {
  const document = openApiDocument({ version, serverUrl: "http://127.0.0.1:3000", operations });
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  return 0;
}
