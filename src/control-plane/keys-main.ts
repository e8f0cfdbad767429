import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { type Role, roleNames } from "#domain/key.ts";
import { besideControlPlane, theAccount } from "./beside.ts";
import { issueServiceKey } from "./setup.ts";

export interface KeysFlags {
  /** OWNER when absent. */
  readonly role: string | null;
  /** The pepper of now counts, and every key made with another one is void. */
  readonly newPepper: boolean;
}

/**
 * `outpost keys create [--role ROLE] [--new-pepper]`: prints a new API key of the first account, once, alone on standard output. Works
 * on the store itself; a control plane that runs on it takes the key at once.
 *
 * @returns the exit code
 * @throws {ConfigError} for a role that there is not, or a store that cannot be used
 */
export async function main(env: Env, words: readonly string[], flags: KeysFlags): Promise<number> {
  if (words.join(" ") !== "create") throw new ConfigError(`usage: outpost keys create [--role ${roleNames.join("|")}] [--new-pepper]`);
  const role = roleOf(flags.role ?? "OWNER");
  const issue = besideControlPlane(
    env,
    async (context) => {
      const account = await theAccount(context);
      return { account, ...(await issueServiceKey(context, account, role)) };
    },
    flags.newPepper,
  );
  const { account, rawKey } = await issue;
  process.stderr.write(`An API key of the account ${account.name} (${account.uuid}) with the role ${role}; it is shown only now:\n`);
  process.stdout.write(`${rawKey}\n`);
  return exitCode.done;
}

/** @throws {ConfigError} */
function roleOf(name: string): Role {
  const role = roleNames.find((one) => one === name.toUpperCase());
  if (role === undefined) throw new ConfigError(`--role: there is no role ${name}; roles: ${roleNames.join(", ")}`);
  return role;
}
