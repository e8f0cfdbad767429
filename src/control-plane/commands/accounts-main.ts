import { AccountCreate } from "#contract/accounts.ts";
import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { createAccount } from "../accounts/setup.ts";
import { auditCommand, besideControlPlane, theAccount } from "./beside.ts";

const usage = `usage:
  outpost accounts create <name>
  outpost accounts list
  outpost accounts delete <id>`;

/**
 * `outpost accounts create|list|delete`: the accounts of the installation. Works on the store itself.
 *
 * @returns the exit code
 * @throws {ConfigError} for an account that there is not, and for deleting the first one
 */
export async function main(env: Env, words: readonly string[]): Promise<number> {
  const [verb, named, ...rest] = words;
  if (verb === "list" && named === undefined) return list(env);
  if (verb === "create" && named !== undefined && rest.length === 0) return create(env, named);
  if (verb === "delete" && named !== undefined && rest.length === 0) return remove(env, named.toLowerCase());
  throw new ConfigError(usage);
}

async function list(env: Env): Promise<number> {
  const all = await besideControlPlane(env, ({ storage }) => storage.accounts.list());
  process.stdout.write(all.map(({ uuid, name }) => `${uuid}  ${name}\n`).join(""));
  return exitCode.done;
}

/** Prints the key once, alone on standard output. */
async function create(env: Env, name: string): Promise<number> {
  const given = AccountCreate.safeParse({ name });
  if (!given.success) throw new ConfigError("The name of an account must have 1 to 255 characters");
  const { account, rawKey } = await besideControlPlane(env, async (context) => {
    await theAccount(context);
    const made = await createAccount(context, given.data.name);
    await auditCommand(context, { operation: "createAccount", resourceId: made.account.uuid });
    return made;
  });
  process.stderr.write(
    `The account ${account.name} (${account.uuid}) is made. Sign in with this OWNER key and invite its members; it is shown only now:\n`,
  );
  process.stdout.write(`${rawKey}\n`);
  return exitCode.done;
}

async function remove(env: Env, uuid: string): Promise<number> {
  const name = await besideControlPlane(env, async (context) => {
    const { accounts } = context.storage;
    const account = await accounts.byUuid(uuid);
    if (account === undefined) throw new ConfigError(`There is no account ${uuid}; outpost accounts list shows those there are`);
    if (account.id === (await theAccount(context)).id)
      throw new ConfigError("The first account runs the installation; it cannot be deleted");
    await accounts.remove(account.id, context.nowMs());
    await auditCommand(context, { operation: "deleteAccount", resourceId: uuid });
    return account.name;
  });
  process.stderr.write(
    `The account ${name} (${uuid}) is deleted: its keys stop within 5 seconds, and a running control plane removes what is its.\n`,
  );
  return exitCode.done;
}
