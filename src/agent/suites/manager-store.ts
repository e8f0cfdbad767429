import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { extract } from "tar";
import { z } from "zod";
import { AppError } from "#domain/app-error.ts";
import type { Network } from "../egress/network.ts";
import { insideFolder } from "../playwright/fence.ts";
import { readBeginning } from "../playwright/run-files.ts";
import type { TreeLimits } from "../sandbox/keep-tree.ts";
import { isTouched, makeRoom, remove } from "./make-room.ts";
import type { ManagerPackage, ManagerProgram } from "./manager-program.ts";
import { SuitePlace } from "./suite-tree.ts";

export interface ManagerStoreOptions {
  readonly folder: string;
  readonly runsFolder: string;
  readonly user: number | null;
  readonly toolsFolder: string;
  readonly registry: string | null;
  readonly authorities: () => Promise<string | null>;
}

const usualRegistry = "https://registry.npmjs.org/";
const limitMs = 120_000;
const limits: TreeLimits = { memoryBytes: 512 * 1024 ** 2, processes: 32, folderBytes: 256 * 1024 ** 2 };

/** Of all versions that are kept; one that an install may still use stays. */
const mostBytes = 512 * 1024 ** 2;
const longestUseMs = 60 * 60_000;
const mostManifestBytes = 1024 ** 2;

/**
 * A package manager from npm's registry, which the agent's image does not bring; fetched once. It runs in the fence of installs only, so it is
 * trusted no more than the packages that it installs.
 *
 * @param node of the project
 * @throws {AppError} unavailable with why it cannot be had; @throws the signal's reason
 */
export async function fetchedManager(
  wanted: ManagerPackage,
  node: string,
  options: ManagerStoreOptions,
  network: Network,
  signal: AbortSignal,
): Promise<ManagerProgram> {
  const folder = join(options.folder, `${wanted.name.replace("/", "+")}@${wanted.version}`);
  const found = await keptProgram(folder, wanted);
  if (found !== null) return found;
  await mkdir(dirname(options.folder), { recursive: true, mode: 0o711 });
  await mkdir(options.folder, { recursive: true, mode: 0o755 });
  await using place = await SuitePlace.make(options.runsFolder, options.user);
  const to = join(place.work, "package.tgz");
  await fetchTo(to, wanted, place, node, options, network, signal);
  const digest = await checkedDigest(to, wanted);
  const beside = join(options.folder, `${randomUUID()}.new`);
  try {
    await mkdir(join(beside, packageName), { recursive: true, mode: 0o755 });
    await extract({ file: to, cwd: join(beside, packageName), strip: 1, strict: true, preserveOwner: false });
    await writeFile(join(beside, digestName), digest);
    await programIn(beside, wanted); // before anybody finds it
    await putAt(folder, beside, wanted);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  await makeRoom(options.folder, mostBytes, (path, usedMs) => path === folder || Date.now() - usedMs < longestUseMs);
  return programIn(folder, wanted);
}

/** In the folder of a version: the package as it came, and the SHA-512 of its archive. */
const packageName = "package";
const digestName = "sha512";

/** Null where it is not there. @throws {AppError} unavailable where it is another one than the project says */
async function keptProgram(folder: string, wanted: ManagerPackage): Promise<ManagerProgram | null> {
  if (!(await isTouched(folder))) return null;
  const digest = await readBeginning(join(folder, digestName), 128);
  if (digest === "") return null; // somebody takes it away
  if (wanted.sha512 !== null && wanted.sha512 !== digest) throw otherDigest(wanted, pinned);
  return programIn(folder, wanted);
}

async function putAt(folder: string, beside: string, wanted: ManagerPackage): Promise<void> {
  await rename(beside, folder).catch(async () => {
    if ((await keptProgram(folder, wanted)) !== null) return; // another run was faster
    await remove(folder); // it is not whole
    await rename(beside, folder);
  });
}

const Manifest = z.object({ bin: z.union([z.string(), z.record(z.string(), z.unknown())]) });

/** The program that a package names, which must be in it. @throws {AppError} unavailable */
async function programIn(folder: string, wanted: ManagerPackage): Promise<ManagerProgram> {
  const own = join(folder, packageName);
  const isNative = "native" in wanted.program;
  const path = await programPath(own, wanted);
  const [real, inside] = await Promise.all([
    path === null ? null : realpath(join(own, path)).catch(() => null),
    realpath(own).catch(() => own),
  ]);
  if (path !== null && real?.startsWith(`${inside}/`) === true) return { file: join(own, path), isNative, folders: [own] };
  const why =
    "native" in wanted.program
      ? wanted.program.native
      : `${wanted.program.command}: bin of its package.json must name a file of the package`;
  throw new AppError("unavailable", `install failed: ${wanted.name}@${wanted.version} has no program ${why}`);
}

async function programPath(own: string, { program }: ManagerPackage): Promise<string | null> {
  if ("native" in program) return program.native;
  const { bin } = Manifest.safeParse(parsed(await readBeginning(join(own, "package.json"), mostManifestBytes))).data ?? {};
  const path = typeof bin === "string" ? bin : bin?.[program.command];
  return typeof path === "string" ? path : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function fetchTo(
  to: string,
  { name, version }: ManagerPackage,
  place: SuitePlace,
  node: string,
  { registry, authorities, toolsFolder, user }: ManagerStoreOptions,
  network: Network,
  signal: AbortSignal,
): Promise<void> {
  const extra = await authorities();
  const parts = { runtimeFolder: insideFolder, reads: extra === null ? [] : [extra], node, wrapper: null, browser: null, ffmpeg: null };
  const base = (registry ?? usualRegistry).replace(/\/*$/, "/");
  const tree = place.start(
    {
      parts: { ...parts, toolsFolder, user },
      words: [node, join(insideFolder, "fetch-package.cjs")],
      env: extra === null ? {} : { NODE_EXTRA_CA_CERTS: extra },
      order: { proxy: place.proxy, registry: base, name, version, to },
      limits,
    },
    network,
  );
  const end = await tree.end(limitMs, signal).finally(() => tree.stop());
  if (end.how === "ended" && tree.exit === 0) return;
  const why = end.how === "late" ? `${name}@${version} did not come within ${limitMs / 1_000} s` : tree.errors.trim().split("\n")[0];
  throw new AppError("unavailable", `install failed: ${(why ?? end.how).replace(/^Error: /, "").slice(0, 500)}`);
}

/** In hexadecimal. @throws {AppError} unavailable where it is another file than the registry, or the project, says */
async function checkedDigest(file: string, wanted: ManagerPackage): Promise<string> {
  const digest = createHash("sha512")
    .update(await readFile(file))
    .digest();
  const told = z.object({ integrity: z.string() }).safeParse(parsed(await readBeginning(`${file}.json`, mostManifestBytes))).data;
  if (told?.integrity !== `sha512-${digest.toString("base64")}`) throw otherDigest(wanted, "the registry");
  const hex = digest.toString("hex");
  if (wanted.sha512 !== null && wanted.sha512 !== hex) throw otherDigest(wanted, pinned);
  return hex;
}

const pinned = "packageManager of package.json";

function otherDigest({ name, version }: ManagerPackage, who: string): AppError {
  return new AppError("unavailable", `install failed: ${name}@${version} came with another digest than ${who} says`);
}
