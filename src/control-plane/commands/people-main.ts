import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { besideControlPlane } from "./beside.ts";

const usage = "usage:\n  outpost people reset-second-factor <e-mail address>";

/**
 * `outpost people reset-second-factor`: for somebody who has lost the app and the recovery codes. The password alone signs him in then. Works on the store
 * itself, beside a control plane that runs on it.
 *
 * @returns the exit code
 * @throws {ConfigError} for an address that nobody has, or a store that cannot be used
 */
export async function main(env: Env, words: readonly string[]): Promise<number> {
  const [verb, email, ...rest] = words;
  if (verb !== "reset-second-factor" || email === undefined || rest.length > 0) throw new ConfigError(usage);
  const wasOn = await besideControlPlane(env, async ({ storage, nowMs }) => {
    const user = await storage.users.byEmail(email);
    if (user === undefined) throw new ConfigError(`Nobody has the address ${email}`);
    if (!(await storage.secondFactors.remove(user.id))) return false;
    for (const { accountId } of await storage.members.ofUser(user.id)) {
      const entry = { operation: "resetSecondFactor", resourceId: user.uuid, fields: ["secondFactor"], actor: null, request: null };
      await storage.audit.append({ accountId, atMs: nowMs(), ...entry });
    }
    return true;
  });
  process.stderr.write(wasOn ? `The second factor of ${email} is off; the password alone signs in.\n` : `${email} has no second factor.\n`);
  return exitCode.done;
}
