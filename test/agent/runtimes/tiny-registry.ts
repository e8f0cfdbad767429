import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

export interface Published {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
  /** More of its package.json. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** What the registry tells of a version. */
interface Version {
  readonly dist: { readonly integrity: string; readonly tarball: string };
  readonly [field: string]: unknown;
}

/** A registry of npm on loopback that has the packages given to it, as archives made on the spot; also asked as a proxy. */
export class TinyRegistry implements AsyncDisposable {
  readonly #versions = new Map<string, Map<string, Version>>();
  readonly #archives = new Map<string, Buffer>();
  readonly #server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://registry").pathname).slice(1);
    this.asked.push(path);
    const archive = this.#archives.get(path);
    if (archive !== undefined && this.holdsArchives) return; // never answered
    if (archive !== undefined) return void response.end(archive);
    const at = path.lastIndexOf("/");
    const version = this.#versions.get(path.slice(0, at))?.get(path.slice(at + 1));
    if (version !== undefined) return void response.end(JSON.stringify(version));
    const versions = this.#versions.get(path);
    if (versions === undefined) return void response.writeHead(404, { "content-type": "application/json" }).end("{}");
    const latest = [...versions.keys()].at(-1);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name: path, "dist-tags": { latest }, versions: Object.fromEntries(versions) }));
  });
  /** Paths of all requests. */
  readonly asked: string[] = [];
  holdsArchives = false;

  static async start(packages: readonly Published[]): Promise<TinyRegistry> {
    const registry = new TinyRegistry();
    registry.#server.listen(0, "127.0.0.1");
    await once(registry.#server, "listening");
    for (const one of packages) await registry.publish(one);
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async publish({ name, version, files, more = {} }: Published): Promise<void> {
    this.#add(name, version, more, await archiveOf({ ...files, "package.json": JSON.stringify({ name, version, ...more }) }));
  }

  /** A package as it is installed somewhere, with all its files. */
  /** @param isWhole with the packages that it brings in it */
  async publishFolder(folder: string, isWhole = false): Promise<void> {
    const { name, version, ...more } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
      name: string;
      version: string;
    };
    this.#add(
      name,
      version,
      more,
      await packed(["-czf", "-", ...(isWhole ? [] : ["--exclude=./node_modules"]), "--transform=s,^\\.,package,", "-C", folder, "."]),
    );
  }

  #add(name: string, version: string, more: object, body: Buffer): void {
    const path = `${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
    const integrity = `sha512-${createHash("sha512").update(body).digest("base64")}`;
    this.#archives.set(path, body);
    const versions = this.#versions.get(name) ?? new Map<string, Version>();
    versions.set(version, { name, version, ...more, dist: { tarball: this.url + path, integrity } });
    this.#versions.set(name, versions);
  }

  integrityOf(name: string, version: string): string {
    return this.#versions.get(name)?.get(version)?.dist.integrity ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}

async function packed(words: readonly string[]): Promise<Buffer> {
  const { stdout } = await promisify(execFile)("tar", words, { encoding: "buffer", maxBuffer: 256 * 1024 * 1024 });
  return stdout;
}

async function archiveOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "archive-"));
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, "package", name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      if (name.startsWith("bin/")) await chmod(path, 0o755);
    }
    await promisify(execFile)("tar", ["-czf", "archive.tgz", "package"], { cwd: folder });
    return await readFile(join(folder, "archive.tgz"));
  } finally {
    await rm(folder, { recursive: true });
  }
}
