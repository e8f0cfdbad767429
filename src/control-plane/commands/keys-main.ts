import { ApiKeyCreate } from "#contract/api-keys.ts";
import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { AppError } from "#domain/app-error.ts";
import { type Role, roleNames } from "#domain/key.ts";
import { issueServiceKey } from "../accounts/setup.ts";
import { readControlPlaneConfig } from "../config.ts";
import { replaceDataKey } from "../keys/data-key.ts";
import type { KeyLimits } from "../keys/issue-key.ts";
import { apiKeyView, limitsOf } from "../rest/api-keys.ts";
import { auditCommand, besideControlPlane, theAccount } from "./beside.ts";
import { keysTable } from "./keys-table.ts";

export interface KeysFlags {
  /** READ_ONLY when absent. */
  readonly role: string | null;
  /** What a new key is for. */
  readonly name: string | null;
  /** Days from now; never when absent. */
  readonly expiresDays: string | null;
  /** Separated by commas; any when absent. */
  readonly networks: string | null;
  /** Separated by commas; all that the role may when absent. */
  readonly scopes: string | null;
  /** The list as JSON, one key per line. */
  readonly json: boolean;
  /** The pepper of now counts, and every key made with another one is void. */
  readonly newPepper: boolean;
}

const usage = `usage:
  outpost keys create [--role ${roleNames.join("|")}] [--name TEXT] [--expires-days N] [--networks CIDR,...] [--scopes RESOURCE:ACTION,...] [--new-pepper]
  outpost keys list [--json]
  outpost keys revoke <id>
  outpost keys reset-encryption`;

/**
 * `outpost keys create|list|revoke|reset-encryption`: API keys of the first account, and the key that secrets of users are sealed under. Works on the store itself; a control plane that runs on it takes a
 * new key at once, and drops a revoked one within 5 seconds.
 *
 * @returns the exit code
 * @throws {ConfigError} for a role or key that there is not, or a store that cannot be used
 */
export async function main(env: Env, words: readonly string[], flags: KeysFlags): Promise<number> {
  const [verb, id, ...rest] = words;
  if (verb === "create" && id === undefined) return create(env, flags);
  if (verb === "list" && id === undefined) return list(env, flags);
  if (verb === "revoke" && id !== undefined && rest.length === 0) return revoke(env, id.toLowerCase());
  if (verb === "reset-encryption" && id === undefined) return resetEncryption(env);
  throw new ConfigError(usage);
}

/** Prints the key once, alone on standard output. */
async function create(env: Env, flags: KeysFlags): Promise<number> {
  const role = roleOf(flags.role ?? "READ_ONLY");
  const limits = limitsOfFlags(flags);
  const name = flags.name ?? "Made on the command line";
  if (name === "" || name.length > 100) throw new ConfigError("--name: must have 1 to 100 characters");
  const issue = besideControlPlane(
    env,
    async (context) => {
      const account = await theAccount(context);
      const issued = await issueServiceKey(context, account, { role, name, limits });
      await auditCommand(context, { operation: "createApiKey", resourceId: issued.key.id });
      return { account, ...issued };
    },
    flags.newPepper,
  );
  const { account, rawKey } = await issue;
  process.stderr.write(`An API key of the account ${account.name} (${account.uuid}) with the role ${role}; it is shown only now:\n`);
  process.stdout.write(`${rawKey}\n`);
  return exitCode.done;
}

async function list(env: Env, { json }: KeysFlags): Promise<number> {
  const keys = await besideControlPlane(env, async (context) =>
    (await context.storage.keys.ofAccount((await theAccount(context)).id)).map(apiKeyView),
  );
  process.stdout.write(json ? keys.map((key) => `${JSON.stringify(key)}\n`).join("") : keysTable(keys));
  return exitCode.done;
}

async function revoke(env: Env, id: string): Promise<number> {
  const key = await besideControlPlane(env, async (context) => {
    const { id: accountId } = await theAccount(context);
    const found = (await context.storage.keys.ofAccount(accountId)).find((one) => one.id === id);
    if (found === undefined || (await context.storage.keys.revoke(accountId, id)) === undefined)
      throw new ConfigError(`There is no API key ${id}; outpost keys list shows those there are`);
    await auditCommand(context, { operation: "deleteApiKey", resourceId: id });
    return found;
  });
  process.stderr.write(
    `The key ${key.maskedKey} (${key.name}, ${key.role}) is revoked; a running control plane drops it within 5 seconds.\n`,
  );
  return exitCode.done;
}

/** After the encryption key was lost. A control plane that runs would go on with the one that is gone at its next start. */
async function resetEncryption(env: Env): Promise<number> {
  const config = readControlPlaneConfig(env);
  await besideControlPlane(env, async (context) => {
    const { uuid } = await theAccount(context);
    await replaceDataKey(config, context.storage.marks);
    await auditCommand(context, { operation: "resetEncryption", resourceId: uuid });
  });
  process.stderr.write(
    "Secrets are sealed under a new key from the next start of the control plane on, so restart it now. Those that users stored before are lost: set variables, client certificates and alert channels anew.\n",
  );
  return exitCode.done;
}

/** As the operation reads them. @throws {ConfigError} */
function limitsOfFlags({ expiresDays, networks, scopes }: KeysFlags): KeyLimits {
  if (expiresDays !== null && !/^[1-9]\d{0,3}$/.test(expiresDays))
    throw new ConfigError(`--expires-days: must be a whole number from 1 to 9999, received ${expiresDays}`);
  const list = (text: string | null): string[] | null => text?.split(",").map((part) => part.trim()) ?? null;
  const expiresAt = expiresDays === null ? null : new Date(Date.now() + Number(expiresDays) * 86_400_000).toISOString();
  const given = ApiKeyCreate.safeParse({ name: "-", expiresAt, allowedNetworks: list(networks), scopes: list(scopes) });
  if (!given.success)
    throw new ConfigError(given.error.issues.map(({ path, message }) => `--${flagOf[String(path[0])] ?? ""}: ${message}`).join("\n"));
  try {
    return limitsOf(given.data, Date.now());
  } catch (error) {
    if (error instanceof AppError)
      throw new ConfigError(error.message.replace(/^"allowedNetworks\[\d+\]"/, "--networks:"), { cause: error });
    throw error;
  }
}

const flagOf: Readonly<Record<string, string>> = { allowedNetworks: "networks", scopes: "scopes" };

/** @throws {ConfigError} */
function roleOf(name: string): Role {
  const role = roleNames.find((one) => one === name.toUpperCase());
  if (role === undefined) throw new ConfigError(`--role: there is no role ${name}; roles: ${roleNames.join(", ")}`);
  return role;
}
