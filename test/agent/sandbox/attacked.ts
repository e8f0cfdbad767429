import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/free-ports.ts";

/** What attacks aim at: a process like the agent, with a canary in its environment and an inspector that a signal would open, and its files. */
export class Attacked implements AsyncDisposable {
  readonly aims: Readonly<Record<string, string>>;
  readonly #victim: ChildProcess;
  readonly #folder: string;
  readonly #sockets: readonly Server[];

  private constructor(victim: ChildProcess, folder: string, aims: Readonly<Record<string, string>>, sockets: readonly Server[]) {
    this.#victim = victim;
    this.#folder = folder;
    this.aims = aims;
    this.#sockets = sockets;
  }

  static async start(): Promise<Attacked> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), "outpost-attacked-"));
    const victim = spawn(process.execPath, [`--inspect-port=${port}`, "-e", "console.log(1); setInterval(() => {}, 1000)"], {
      env: { SECRET: "outpost-canary" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(victim.stdout, "data");
    const [file, socket, abstract] = [join(folder, "key"), join(folder, "socket"), `outpost-attacked-${process.pid}-${port}`];
    writeFileSync(file, "KEY=pl_key", { mode: 0o600 });
    const sockets = [await listening(socket), await listening(`\0${abstract}`)];
    chmodSync(socket, 0o777);
    chmodSync(folder, 0o711);
    const aims = { PID: String(victim.pid), PORT: String(port), FILE: file, SOCKET: socket, ABSTRACT: abstract, FOLDER: folder };
    return new Attacked(victim, folder, aims, sockets);
  }

  /** What is seen of attacks from outside. */
  state(): object {
    return { exitCode: this.#victim.exitCode, signalCode: this.#victim.signalCode, files: readdirSync(this.#folder) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#victim.kill("SIGKILL");
    for (const server of this.#sockets) server.close();
    rmSync(this.#folder, { recursive: true });
    await once(this.#victim, "close");
  }
}

/** How `state` looks when nothing was reached. */
export const untouched = { exitCode: null, signalCode: null, files: ["key", "socket"] };

async function listening(path: string): Promise<Server> {
  const server = createServer((connection) => connection.destroy()).listen(path);
  await once(server, "listening");
  return server;
}
