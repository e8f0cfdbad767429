import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { extract } from "tar";
import { AppError } from "#domain/app-error.ts";
import type { Network } from "../egress/network.ts";
import { insideFolder } from "../playwright/fence.ts";
import type { TreeLimits } from "../sandbox/keep-tree.ts";
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
  const program = { file: join(folder, wanted.program), folders: [folder] };
  if (existsSync(program.file)) return program;
  await mkdir(dirname(options.folder), { recursive: true, mode: 0o711 });
  await mkdir(options.folder, { recursive: true, mode: 0o755 });
  await using place = await SuitePlace.make(options.runsFolder, options.user);
  const to = join(place.work, "package.tgz");
  await fetchTo(to, wanted, place, node, options, network, signal);
  await checkDigest(to, wanted);
  const beside = join(options.folder, `.new-${process.pid}-${Date.now()}`);
  await mkdir(beside, { mode: 0o755 });
  await extract({ file: to, cwd: beside, strip: 1, strict: true, preserveOwner: false });
  await rename(beside, folder).catch((error: unknown) => {
    if (!existsSync(program.file)) throw error; // or another run was faster
  });
  return program;
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

/** @throws {AppError} unavailable where it is another file than the registry, or the project, says */
async function checkDigest(file: string, { name, version, sha512 }: ManagerPackage): Promise<void> {
  const digest = createHash("sha512")
    .update(await readFile(file))
    .digest();
  const { integrity } = JSON.parse(await readFile(`${file}.json`, "utf8")) as { readonly integrity?: unknown };
  const isRegistrys = integrity === `sha512-${digest.toString("base64")}`;
  if (isRegistrys && (sha512 === null || sha512 === digest.toString("hex"))) return;
  throw new AppError(
    "unavailable",
    `install failed: ${name}@${version} came with another digest than ${isRegistrys ? "packageManager of package.json" : "the registry"} says`,
  );
}
