import { createClient } from "#contract/client.ts";
import { ApiError, ConnectionError } from "#contract/client-error.ts";
import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import type { Body } from "#domain/json-paths.ts";
import type { Flags } from "./command-line.ts";
import { type AccountState, readAccount, type StoredEntry } from "./config-as-code/account-state.ts";
import { fileOf } from "./config-as-code/file.ts";
import { kinds } from "./config-as-code/kinds.ts";

const theirs = "https://api.checklyhq.com";
/** The account's own settings stay behind. */
const wanted = kinds.filter(({ name }) => name !== "account");
const refusals = [401, 403, 404, 402];

/**
 * Prints an account of the hosted service as a file for `outpost apply`: read over its public API, with a key of the user, and nothing of it is changed.
 *
 * @returns the exit code
 * @throws {ConfigError}
 */
export async function importCheckly(env: Env, [, ...rest]: readonly string[], { url, apiKey, location }: Flags): Promise<number> {
  const usage = "usage: outpost import checkly [--api-key KEY] [--location SLUG] [--url URL] > all.yaml";
  if (rest.length > 0) throw new ConfigError(usage);
  const key = apiKey ?? env["CHECKLY_API_KEY"];
  if (key === undefined || key === "") throw new ConfigError(`CHECKLY_API_KEY (--api-key) is not set. ${usage}`);
  const accountId = env["CHECKLY_ACCOUNT_ID"];
  const baseUrl = url ?? env["CHECKLY_API_URL"] ?? theirs;
  if (!URL.canParse(baseUrl)) throw new ConfigError("CHECKLY_API_URL (--url) must be an http or https URL");
  const client = createClient({
    baseUrl,
    apiKey: key,
    ...(accountId !== undefined && { accountId, accountHeader: "x-checkly-account" }),
    timeoutMs: 120_000, // a full window of the rate limit is waited for
  });
  const state = await readAccount(client, { kinds: wanted, onProblem: ({ title }, error) => tell(title, error) });
  process.stdout.write(fileOf(location === null ? state : movedTo(state, location)));
  const moved = location === null ? "Replace the locations that are not yours (--location SLUG does). " : "";
  process.stderr.write(
    `${state.entries.length} entries. ${moved}Secrets are not readable: the file takes them from the environment. Next: outpost apply <the file>\n`,
  );
  return exitCode.done;
}

/** What is left out is said; without a right key, or an answer, there is nothing to go on with. */
function tell(title: string, error: unknown): void {
  if (error instanceof ConnectionError)
    throw new ConfigError(`CHECKLY_API_URL (--url): ${error.message}`, { cause: error, exitCode: exitCode.away });
  if (error instanceof ApiError && error.statusCode === 401)
    throw new ConfigError(`CHECKLY_API_KEY (--api-key): the service refused it: ${error.message}`, { cause: error });
  if (error instanceof ApiError && !refusals.includes(error.statusCode))
    throw new ConfigError(`The service said: ${error.message} (${error.statusCode})`, { cause: error });
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`left out: ${error instanceof ApiError ? `every ${title}: ${message}` : message}\n`);
}

/** Checks and groups that run at locations of the service run at one's own. */
function movedTo({ entries }: AccountState, location: string): Pick<AccountState, "entries"> {
  return { entries: entries.map((entry) => ({ ...entry, body: bodyAt(entry, location) })) };
}

function bodyAt({ kind, body }: StoredEntry, location: string): Body {
  const { locations } = body;
  const isElsewhere = Array.isArray(locations) && locations.length > 0;
  if (!isElsewhere || !["check", "check-group"].includes(kind.name)) return body;
  const own = Array.isArray(body["privateLocations"]) ? (body["privateLocations"] as readonly unknown[]) : [];
  return { ...body, locations: [], privateLocations: [...new Set([...own, location])] };
}
