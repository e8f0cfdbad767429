import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { readControlPlaneConfig } from "../config.ts";
import { setUpAddress } from "../console/people/set-up-token.ts";
import { besideControlPlane, theAccount } from "./beside.ts";

/**
 * `outpost set-up`: prints the address at which the first OWNER is made, alone on standard output. Works on the store itself.
 *
 * @returns the exit code
 * @throws {ConfigError} when somebody is OWNER already, or no control plane ran on this store yet
 */
export async function main(env: Env, words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new ConfigError("outpost set-up takes no words; DATABASE_URL or DATA_DIR names the store");
  const { publicUrl, port } = readControlPlaneConfig(env);
  const made = await besideControlPlane(env, async (context) => {
    await theAccount(context);
    return setUpAddress(context, publicUrl ?? `http://127.0.0.1:${port}`, context.nowMs());
  });
  if (made === null)
    throw new ConfigError(
      "There is an owner already: sign in, or make an API key with outpost keys create --role OWNER and sign in with that",
    );
  process.stdout.write(`${made.address}\n`);
  return exitCode.done;
}
