import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const packages = resolve(import.meta.dirname, "node_modules");
const program = join(packages, "checkly/bin/run.cjs");

/** Whether the program is here; why not is printed. */
export function isCommandLineInstalled(): boolean {
  const isInstalled = existsSync(program);
  if (!isInstalled) {
    process.stdout.write("Tests of the public command line are skipped: npm ci --prefix test/clients --ignore-scripts installs it\n");
  }
  return isInstalled;
}

export interface Ran {
  readonly code: number;
  readonly text: string;
}

interface Target {
  readonly base: string;
  readonly key: string;
  readonly accountId: string;
}

/** The program as it comes from its registry, in a copy of a project, told by its own variables where a control plane is. */
export class PublicCommandLine implements AsyncDisposable {
  readonly folder: string;
  readonly #target: Target;

  private constructor(folder: string, target: Target) {
    this.folder = folder;
    this.#target = target;
  }

  /** @param project a folder beside this file */
  static async in(project: string, target: Target): Promise<PublicCommandLine> {
    const folder = await mkdtemp(join(tmpdir(), "outpost-project-"));
    await cp(resolve(import.meta.dirname, project), folder, { recursive: true });
    await symlink(packages, join(folder, "node_modules"));
    return new PublicCommandLine(folder, target);
  }

  run(...args: readonly string[]): Promise<Ran> {
    return this.runWith({}, ...args);
  }

  runWith(more: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ran> {
    const { base, key, accountId } = this.#target;
    const env = {
      PATH: process.env["PATH"],
      HOME: this.folder,
      CI: "1",
      CHECKLY_ENV: "local",
      CHECKLY_API_URL: base,
      CHECKLY_MQTT_URL: `${base.replace("http", "ws")}/mqtt`,
      CHECKLY_NO_DOTENV: "1",
      CHECKLY_API_KEY: key,
      CHECKLY_ACCOUNT_ID: accountId,
      ...more,
    };
    return new Promise((done) => {
      const child = execFile(process.execPath, [program, ...args], { cwd: this.folder, env, timeout: 110_000 }, (error, out, err) => {
        done({ code: error === null ? 0 : Number(error.code ?? -1), text: `${out}\n${err}` });
      });
      child.stdin?.end(); // nobody answers its questions
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}
