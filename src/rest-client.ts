import { type Client, createClient } from "#contract/client.ts";
import { ConfigError, type Env } from "#daemon/env.ts";
import type { Flags } from "./command-line.ts";
import { readCredentials } from "./control-plane/commands/credentials.ts";

/** The address and key of the variables; those that `outpost up` keeps in its data folder where no key is named. */
export async function clientOf(env: Env, { url, apiKey: given }: Pick<Flags, "url" | "apiKey">): Promise<Client> {
  const named = given ?? env["OUTPOST_API_KEY"];
  const kept = named === undefined ? await readCredentials(env["DATA_DIR"] ?? "./data") : undefined;
  const apiKey = named ?? kept?.apiKey;
  if (apiKey === undefined)
    throw new ConfigError(
      "OUTPOST_API_KEY is not set, and DATA_DIR holds no credentials.json. Make a key: outpost keys create --role ADMIN",
    );
  const { baseUrl = "http://127.0.0.1:3000", accountId } = { ...kept, ...placeIn(env) };
  return createClient({
    baseUrl: addressOf(url ?? baseUrl),
    apiKey,
    ...(accountId !== undefined && { accountId }),
    timeoutMs: 120_000, // a full window of the rate limit is waited for
  });
}

function placeIn({ OUTPOST_URL, OUTPOST_ACCOUNT_ID }: Env) {
  return {
    ...(OUTPOST_URL !== undefined && { baseUrl: OUTPOST_URL }),
    ...(OUTPOST_ACCOUNT_ID !== undefined && { accountId: OUTPOST_ACCOUNT_ID }),
  };
}

function addressOf(url: string): string {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new ConfigError("OUTPOST_URL (--url): must be an http or https URL");
}
