import type { Client } from "#contract/client.ts";
import { ApiError } from "#contract/client-error.ts";
import type { SuiteBundle } from "./suite-bundle.ts";

/** Slow lines take their time; a call of the control plane's own has no such bound. */
const longestMs = 30 * 60_000;

/** Whether the same bytes were uploaded before. */
export async function isUploaded(client: Client, { key }: Pick<SuiteBundle, "key">): Promise<boolean> {
  try {
    await client.peekCodeBundle({ body: { key } });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 404) return false;
    throw error;
  }
}

/** @param onSent told how many bytes the other side has taken so far */
export async function uploadBundle(
  client: Client,
  { bytes, size, sha256 }: Pick<SuiteBundle, "bytes" | "size" | "sha256">,
  onSent: (bytes: number) => void,
): Promise<void> {
  const chunks = function* (): Generator<Uint8Array> {
    let sent = 0;
    for (const chunk of bytes) {
      yield chunk;
      sent += chunk.length;
      onSent(sent);
    }
  };
  await client.createCodeBundle({ query: { sha256 }, bytes: { size, chunks } }, { timeoutMs: longestMs });
}
