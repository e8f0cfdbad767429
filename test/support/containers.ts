import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./processes.ts";

/** The targets of the Dockerfiles that `.ci/images` builds. */
export type Image = "agent-uptime" | "agent" | "agent-browser" | "control-plane" | "all" | "dev";

const store = join(
  process.env["OUTPOST_TOOLS_DIR"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "outpost-tools"),
  "images",
);
const storage = ["--root", join(store, "root"), "--runroot", join(store, "run"), "--storage-driver", storageDriver()];
const made: Container[] = [];
process.once("exit", () => made.forEach((container) => container.remove()));

/** Why containers cannot be run here; null when they can. */
export const noImages: string | null = reason();

function storageDriver(): string {
  return existsSync(join(store, "root/overlay-images")) ? "overlay" : "vfs";
}

function reason(): string | null {
  if (process.getuid?.() !== 0) return "containers are run as root here";
  if (!existsSync(join(store, "root"))) return "no images; `.ci/images` builds them";
  for (const program of ["podman", "buildah", "runc"]) {
    if (spawnSync(program, ["--version"]).error !== undefined) return `${program} is not installed`;
  }
  return null;
}

/** Files of any layer, image or configuration in the store, by which of the texts they have. The store is read once: it has gigabytes. */
export function filesWith(...texts: readonly string[]): (text: string) => readonly string[] {
  const grep = (words: readonly string[]): readonly string[] =>
    call("grep", ["-laF", "--devices=skip", ...words], 240_000)
      .stdout.split("\n")
      .filter((line) => line !== "");
  const files = grep(["-r", ...texts.flatMap((text) => ["-e", text]), join(store, "root")]);
  return (text) => (files.length === 0 ? [] : grep(["-e", text, ...files]));
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function call(program: string, words: readonly string[], limitMs = 60_000): Ended {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8", timeout: limitMs, maxBuffer: 64 * 1024 * 1024 });
  return { code: status ?? -1, stdout, stderr };
}

function podman(...words: readonly string[]): Ended {
  return call("podman", [...storage, "--runtime", "runc", "--cgroup-manager", "cgroupfs", ...words]);
}

/** What the restricted Pod Security Standard asks for, and a root file system that nobody can write. */
const hardened = ["--read-only", "--read-only-tmpfs=false", "--cap-drop=ALL", "--security-opt=no-new-privileges"];
const here = ["--pull=never", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024", "--no-healthcheck"];

export interface ContainerOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Name of a network namespace; this host's network when absent. */
  readonly network?: string;
  /** `name:/path`, as the engine takes them. */
  readonly volumes?: readonly string[];
  /** Names that lead to the container's own loopback. */
  readonly hosts?: readonly string[];
}

/** A container of one of our images, hardened. Disposing removes it. */
export class Container implements AsyncDisposable {
  readonly #id: string;

  /** @param words the command and its arguments; the image's own when empty */
  constructor(image: Image, words: readonly string[] = [], { env = {}, network, volumes = [], hosts = [] }: ContainerOptions = {}) {
    const variables = Object.entries(env).map(([name, value]) => `--env=${name}=${value}`);
    const mounts = [...volumes.map((volume) => `--volume=${volume}`), ...hosts.map((host) => `--add-host=${host}:127.0.0.1`)];
    const net = `--network=${network === undefined ? "host" : `ns:/run/netns/${network}`}`;
    const { code, stdout, stderr } = podman("run", "--detach", net, ...here, ...hardened, ...variables, ...mounts, nameOf(image), ...words);
    if (code !== 0) throw new Error(`${image} did not start: ${stderr}`);
    this.#id = stdout.trim();
    made.push(this);
  }

  /** Runs one of the program's commands in the container, as `kubectl exec` does. */
  exec(...words: readonly string[]): Ended {
    return podman("exec", this.#id, ...words);
  }

  logs(): string {
    const { stdout, stderr } = podman("logs", this.#id);
    return stdout + stderr;
  }

  /** The process id, on this host, of the container's first process. */
  pid(): number {
    return Number(podman("inspect", "--format", "{{.State.Pid}}", this.#id).stdout);
  }

  signal(name: string): void {
    podman("kill", "--signal", name, this.#id);
  }

  async exited(limitMs = 40_000): Promise<number> {
    const state = await until(
      "the end of the container",
      () => {
        const [status, code] = podman("inspect", "--format", "{{.State.Status}} {{.State.ExitCode}}", this.#id).stdout.trim().split(" ");
        return status === "exited" && { code: Number(code) };
      },
      limitMs,
    );
    return state.code;
  }

  remove(): void {
    podman("rm", "--force", "--time=0", "--volumes", this.#id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.remove();
  }
}

export function removeVolumes(names: readonly string[]): void {
  podman("volume", "rm", "--force", ...names);
}

/** Runs a container to its end. */
export async function runToEnd(
  image: Image,
  words: readonly string[],
  options?: ContainerOptions,
): Promise<{ code: number; logs: string }> {
  await using container = new Container(image, words, options);
  const code = await container.exited();
  return { code, logs: container.logs() };
}

export interface ImageFacts {
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly healthcheck: readonly string[];
  readonly volumes: readonly string[];
  /** Paths of everything in it, with mode and owner. */
  readonly files: readonly { readonly path: string; readonly mode: number; readonly uid: number }[];
  /** Text of a file in it. */
  readonly read: (path: string) => string;
}

/** What an image is, without running it. */
export function inspectImage(image: Image): ImageFacts {
  const [facts] = JSON.parse(podman("image", "inspect", nameOf(image)).stdout) as {
    Config: { User: string; Entrypoint: string[]; Labels: Record<string, string>; Volumes?: object };
    Healthcheck?: { Test: string[] };
  }[];
  if (facts === undefined) throw new Error(`there is no image ${image}`);
  const archive = exported(image);
  const lines = call("tar", ["--list", "--verbose", "--numeric-owner", "--file", archive]).stdout.trim().split("\n");
  return {
    user: facts.Config.User,
    entrypoint: facts.Config.Entrypoint,
    labels: facts.Config.Labels,
    healthcheck: facts.Healthcheck?.Test ?? [],
    volumes: Object.keys(facts.Config.Volumes ?? {}),
    files: lines.map(parseEntry),
    read: (path) => call("tar", ["--extract", "--to-stdout", "--file", archive, path]).stdout,
  };
}

/** Writes them as one archive, as `docker save` does. */
export function saveImages(images: readonly Image[], path: string): void {
  const saved = call("podman", [...storage, "save", "--quiet", "--multi-image-archive", "--output", path, ...images.map(nameOf)], 240_000);
  if (saved.code !== 0) throw new Error(`the images were not saved: ${saved.stderr}`);
}

/** Whether `.ci/images` built it. */
export function hasImage(image: Image): boolean {
  return podman("image", "exists", nameOf(image)).code === 0;
}

/** The bytes that a registry would hold of it: its layers, packed with gzip. */
export function compressedBytes(image: Image): number {
  const folder = mkdtempSync(join(tmpdir(), "outpost-image-"));
  try {
    const pushed = call("buildah", [...storage, "push", "--compression-format=gzip", nameOf(image), `oci:${folder}`], 120_000);
    if (pushed.code !== 0) throw new Error(pushed.stderr);
    const blob = (digest: string): { manifests: Blob[]; layers: Blob[] } =>
      JSON.parse(readFileSync(join(folder, "blobs/sha256", digest.replace("sha256:", "")), "utf8"));
    const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) as { manifests: Blob[] };
    return index.manifests.flatMap(({ digest }) => blob(digest).layers).reduce((sum, { size }) => sum + size, 0);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Processes of this host whose parent is dead to them: finished, and never waited for. */
export function zombiesOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [state, parentPid] = readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /, "")
          .split(" ");
        return state === "Z" && Number(parentPid) === parent ? [Number(pid)] : [];
      } catch {
        return []; // it went while it was looked at
      }
    });
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

const archives = new Map<Image, string>();

function exported(image: Image): string {
  const known = archives.get(image);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), "outpost-image-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "image.tar");
  const id = podman("create", "--network=host", ...here, nameOf(image)).stdout.trim();
  podman("export", "--output", path, id);
  podman("rm", "--volumes", id);
  archives.set(image, path);
  return path;
}

function parseEntry(line: string): { path: string; mode: number; uid: number } {
  const [, type = "", letters = "", uid = "", path = ""] = /^(.)(\S{9})\S* +(\d+)\/\d+ +\d+ +\S+ +\S+ +(.*?)( -> .*)?$/.exec(line) ?? [];
  const bits = letters.split("").reduce((mode, letter) => mode * 2 + Number(letter !== "-" && letter !== "S" && letter !== "T"), 0);
  const special =
    Number(/[sS]/.test(letters[2] ?? "")) * 0o4000 +
    Number(/[sS]/.test(letters[5] ?? "")) * 0o2000 +
    Number(/[tT]/.test(letters[8] ?? "")) * 0o1000;
  return { path: type === "d" && !path.endsWith("/") ? `${path}/` : path, mode: bits + special, uid: Number(uid) };
}

function nameOf(image: Image): string {
  return `localhost/outpost/${image}`;
}
