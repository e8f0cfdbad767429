import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, createWriteStream } from "node:fs";
import { exitCode } from "#daemon/exit-code.ts";
import { imageFlags, imageSettings, untilOk } from "../support/processes.ts";

/** A part of the installation that dies and comes back, as the image runs it; what it logs goes on in one file. */
export class Living {
  readonly role: "agent" | "control-plane";
  readonly name: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #health: string;
  readonly #log: string;
  #child: ChildProcess | undefined;
  #sinceMs = 0;
  #isFrozen = false;

  /** @param health URL that answers 200 once it works */
  constructor(role: Living["role"], name: string, env: Readonly<Record<string, string>>, health: string, folder: string) {
    this.role = role;
    this.name = name;
    this.#env = env;
    this.#health = health;
    this.#log = `${folder}/${name}.log`;
  }

  get isServing(): boolean {
    return this.#child !== undefined && !this.#isFrozen;
  }

  /** Undefined while it is not running. */
  get process(): { readonly pid: number; readonly ageMs: number } | undefined {
    const pid = this.#child?.pid;
    return pid === undefined ? undefined : { pid, ageMs: performance.now() - this.#sinceMs };
  }

  start(): void {
    if (this.#child !== undefined) return;
    const program = new URL(`../../dist/${this.role}/cli.js`, import.meta.url).pathname;
    const child = spawn(process.execPath, [...imageFlags(this.role), program, this.role], {
      env: { PATH: "/usr/bin:/bin", ...imageSettings(this.role), ...this.#env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr.pipe(createWriteStream(this.#log, { flags: "a" }));
    child.once("exit", (code, signal) => {
      appendFileSync(this.#log, `ended with ${code ?? signal}\n`);
      this.#child = undefined;
      this.#isFrozen = false;
      // "The database does not answer; start again when it does": whoever supervises a process does so.
      if (code === exitCode.away) setTimeout(() => this.start(), 1_000);
    });
    this.#child = child;
    this.#sinceMs = performance.now();
  }

  ready(limitMs = 60_000): Promise<number> {
    return untilOk(this.#health, limitMs);
  }

  /** Resolves when it is gone. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  freeze(): void {
    this.#isFrozen = this.#child?.kill("SIGSTOP") ?? false;
  }

  thaw(): void {
    this.#child?.kill("SIGCONT");
    this.#isFrozen = false;
  }
}
