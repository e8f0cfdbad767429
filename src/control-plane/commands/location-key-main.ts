import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { SlugName } from "#contract/private-locations.ts";
import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { hasCode } from "#domain/app-error.ts";
import { createLocationKey, ensurePrivateLocation, type SetupContext } from "../accounts/setup.ts";
import { auditCommand, besideControlPlane, theAccount } from "./beside.ts";

export interface LocationKeyFlags {
  /** Makes the private location when it is not there. */
  readonly create: boolean;
  /** The file to write the key to; one that has a key already is kept, and nothing is issued. Null prints it. */
  readonly output: string | null;
}

/**
 * `outpost location-key [--create] [--output FILE] <slug, code or id>`: gives out a new key of a location, once. Works on the store
 * itself; a control plane that runs on it takes the key at once.
 *
 * @returns the exit code
 * @throws {ConfigError}
 */
export async function main(env: Env, words: readonly string[], { create, output }: LocationKeyFlags): Promise<number> {
  const [location, ...rest] = words;
  if (location === undefined || rest.length > 0)
    throw new ConfigError("Name one location: outpost location-key eu-west-1, or outpost location-key --create berlin");
  const issued = async (): Promise<string> => (await besideControlPlane(env, (context) => issue(context, location, create))).rawKey;
  if (output === null) process.stdout.write(`${await issued()}\n`);
  else process.stderr.write(`${await keepIn(output, issued)}\n`);
  return exitCode.done;
}

/** The file is there whole or not at all, for its owner alone; that it can be written is seen before a key is issued. @returns what was done */
async function keepIn(file: string, issued: () => Promise<string>): Promise<string> {
  const refused = (cause: NodeJS.ErrnoException): never => {
    throw new ConfigError(`--output: ${file} cannot be written (${cause.code ?? "error"})`, { cause });
  };
  const kept = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? "" : refused(error)));
  if (kept.trim() !== "") return `${file} has a key already; it is kept. Remove the file for a new one.`;
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, "wx", 0o600).catch(refused); // a file or link that somebody laid there would show the key
  try {
    await handle.writeFile(`${await issued()}\n`);
    await handle.sync();
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return `The key is in ${file}.`;
}

async function issue(context: SetupContext, name: string, creates: boolean): ReturnType<typeof createLocationKey> {
  try {
    return await createAudited(context, name);
  } catch (error) {
    if (!hasCode(error, "not_found")) throw error;
    if (!creates) throw new ConfigError(`${error.message}; a private location of this name is made with: outpost location-key --create`);
  }
  const slug = SlugName.safeParse(name);
  if (!slug.success) throw new ConfigError(`${name}: the name of a private location ${slug.error.issues[0]?.message ?? "is not right"}`);
  const made = await ensurePrivateLocation(context, await theAccount(context), { slugName: slug.data, name: slug.data });
  process.stderr.write(`The private location ${made.code} (${made.uuid}) was made.\n`);
  await auditCommand(context, { operation: "createPrivateLocation", resourceId: made.uuid });
  return createAudited(context, made.uuid);
}

async function createAudited(context: SetupContext, codeOrUuid: string): ReturnType<typeof createLocationKey> {
  const issued = await createLocationKey(context, codeOrUuid);
  await auditCommand(context, { operation: "createPrivateLocationKey", resourceId: issued.location.uuid });
  return issued;
}
