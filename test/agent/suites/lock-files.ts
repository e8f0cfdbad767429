import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { managerFolders, noManagers } from "../../support/package-managers.ts";

const locking = {
  pnpm: { lock: "pnpm-lock.yaml", words: [process.execPath, join(managerFolders.pnpm, "bin/pnpm.cjs"), "install", "--lockfile-only"] },
  yarn: {
    lock: "yarn.lock",
    words: [process.execPath, join(managerFolders.yarn, "bin/yarn.js"), "install", "--mode=update-lockfile"],
  },
  bun: { lock: "bun.lock", words: [join(managerFolders.bun, "bin/bun"), "install", "--lockfile-only"] },
} as const;

/** Of the package that a test's registry has; empty where it is not there. */
export function managerVersion(manager: keyof typeof locking): string {
  return noManagers === null ? readVersion(managerFolders[manager]) : "";
}

export function readVersion(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;
}

/** A project with the lock file that its package manager writes for it, from a registry of a test. */
export async function locked(
  manager: keyof typeof locking,
  files: Readonly<Record<string, string>>,
  registry: string,
): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-workspace-"));
  const { lock, words } = locking[manager];
  const [program, ...rest] = words;
  try {
    writeFiles(folder, files);
    const env = {
      ...process.env,
      HOME: folder,
      CI: "",
      npm_config_registry: registry,
      BUN_INSTALL_CACHE_DIR: join(folder, "cache"),
      YARN_NPM_REGISTRY_SERVER: registry,
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      YARN_ENABLE_TELEMETRY: "0",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
      YARN_NODE_LINKER: "node-modules",
    };
    await promisify(execFile)(program, rest, { cwd: folder, env }).catch((error: { readonly stdout?: string }) => {
      throw new Error(error.stdout ?? "", { cause: error });
    });
    return { ...files, [lock]: readFileSync(join(folder, lock), "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
