import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chartTools, type Field } from "../chart-tools.ts";
import { type Image, saveImages } from "../containers.ts";
import { Stop, until } from "../processes.ts";
import { noKubernetesNode } from "./no-kubernetes-node.ts";
import { programsFolder } from "./programs.ts";

const execute = promisify(execFile);
const project = join(import.meta.dirname, "../../..");
/** A slow machine builds up a backlog at the start. */
const startLimitMs = 240_000;
/** What README's commands call the registry, and the version of the charts. */
export const registry = "registry.example.com";
export const version = (JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { version: string }).version;
/** The same images under the name of a version before. */
export const versionBefore = "0.0.9";
const images = ["control-plane", "agent", "agent-browser"] as const satisfies readonly Image[];

/** A claim that a volume waits for. */
export interface Claim {
  readonly namespace: string;
  readonly name: string;
}

export interface VolumeOptions {
  /** A folder whose files it has from the start. */
  readonly copyOf?: string;
  /** A small disk of its own, in memory. */
  readonly sizeMb?: number;
}

/** One node of Kubernetes, with its API server, in namespaces of this host. No image is ever pulled. */
export interface KubernetesNode extends AsyncDisposable {
  /** Where NodePorts answer. */
  readonly address: string;
  /** Folder of what its disk would keep. */
  readonly folder: string;
  /** Runs `kubectl`. @throws Error with what it said */
  kubectl(words: readonly string[], input?: object): Promise<string>;
  /** Runs `kubectl … -o json`. */
  read(...words: readonly string[]): Promise<Field>;
  /** Runs `helm` with values. @throws Error with what it said */
  helm(words: readonly string[], values?: object): Promise<string>;
  /** Runs lines of bash as an operator types them, in the folder of the project. @throws Error with what they said */
  shell(lines: string): Promise<string>;
  /** A volume of this node's disk, for one claim. */
  volume(claim: Claim, options?: VolumeOptions): Promise<void>;
  /** Cuts the power, and waits until the node has come up again. */
  restart(): Promise<void>;
}

let shared: Promise<KubernetesNode> | undefined;

/** One node for all files of a worker: it starts with the first that asks, and ends with the worker. */
export function sharedNode(): Promise<KubernetesNode> {
  shared ??= startNode();
  return shared;
}

/** Why tests on a node cannot run here, or null: this machine cannot have one, or the one that was begun did not come up. */
export async function missingNode(): Promise<string | null> {
  if (noKubernetesNode !== null) return noKubernetesNode;
  return sharedNode().then(
    () => null,
    (error: unknown) => `the node did not come up: ${error instanceof Error ? error.message.slice(0, 2_000) : String(error)}`,
  );
}

async function startNode(): Promise<KubernetesNode> {
  const id = randomBytes(4).toString("hex");
  const folder = mkdtempSync(join(tmpdir(), "outpost-node-"));
  chmodSync(folder, 0o755); // users of pods reach their volumes
  writeImages(folder);
  const link = randomLink();
  const words = [machineScript, folder, programsFolder, link.address, link.outside, id];
  // Not of the group that a terminal stops: it ends with its standard input, however this process ends.
  const machine = spawn("bash", words, { detached: true, stdio: ["pipe", "ignore", "pipe"] });
  const said = collected(machine);
  machine.unref();
  process.once("disconnect", () => machine.stdin.destroy()); // a worker outlives a runner that was killed
  const node = new Node(folder, link.address, machine, said);
  try {
    await node.comesUp(1);
    await node.setUp();
    return node;
  } catch (error) {
    await node[Symbol.asyncDispose]();
    throw error;
  }
}

/** Archives of the images, and names for them: those that the charts ask for. */
function writeImages(folder: string): void {
  mkdirSync(join(folder, "images"));
  saveImages(images, join(folder, "images/outpost.tar"));
  const names = images.flatMap((image) =>
    [version, versionBefore].map((tag) => `localhost/outpost/${image}:latest ${registry}/outpost/${image}:${tag}`),
  );
  writeFileSync(join(folder, "images/names"), `${names.join("\n")}\n`);
}

/** Runs the machine that the node is in. */
export const machineScript = join(import.meta.dirname, "machine.sh");

/** A /30 of 198.18.0.0/15, which is for tests of networks (RFC 2544). */
export function randomLink(): { address: string; outside: string } {
  const base = randomInt(2 ** 15) * 4;
  const ipv4 = (host: number): string => `198.${18 + (base >> 16)}.${(base >> 8) & 255}.${(base & 255) + host}`;
  return { outside: ipv4(1), address: ipv4(2) };
}

function collected(machine: ChildProcess): () => string {
  let text = "";
  machine.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  for (const stream of machine.stdio) (stream as unknown as { unref?: () => void } | null)?.unref?.();
  return () => text;
}

class Node implements KubernetesNode {
  readonly address: string;
  readonly folder: string;
  readonly #machine: ChildProcess;
  readonly #said: () => string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(folder: string, address: string, machine: ChildProcess, said: () => string) {
    this.folder = folder;
    this.address = address;
    this.#machine = machine;
    this.#said = said;
    const bin = join(folder, "bin");
    mkdirSync(bin);
    symlinkSync(join(programsFolder, "kubectl"), join(bin, "kubectl"));
    symlinkSync(chartTools()?.helm ?? "", join(bin, "helm"));
    this.#env = { PATH: `${bin}:/usr/sbin:/usr/bin:/sbin:/bin`, HOME: join(folder, "home"), KUBECONFIG: join(folder, "admin.conf") };
  }

  /** @param times how often it has come up then */
  async comesUp(times: number): Promise<void> {
    const isUp = async (): Promise<boolean> => {
      if (this.#machine.exitCode !== null || this.#machine.signalCode !== null) throw new Stop(`the node did not start: ${this.#said()}`);
      if (lines(join(this.folder, "boots")) < times) return false;
      const { status } = await this.read("get", "node", "node1");
      return status.conditions.some((it: Field) => it.type === "Ready" && it.status === "True");
    };
    await until("the node", isUp, startLimitMs);
  }

  /** What an administrator makes once: volumes for claims, and the metrics of pods for autoscalers. */
  async setUp(): Promise<void> {
    const metadata = { name: "metrics", namespace: "kube-system" };
    const port = { name: "https", port: 443, targetPort: 4443, protocol: "TCP" };
    await this.kubectl(
      ["apply", "-f", "-"],
      list(
        { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [port] } },
        {
          apiVersion: "discovery.k8s.io/v1",
          kind: "EndpointSlice",
          metadata: { ...metadata, labels: { "kubernetes.io/service-name": "metrics" } },
          addressType: "IPv4",
          endpoints: [{ addresses: [this.address] }],
          ports: [{ name: "https", port: 4443, protocol: "TCP" }],
        },
        {
          apiVersion: "apiregistration.k8s.io/v1",
          kind: "APIService",
          metadata: { name: "v1beta1.metrics.k8s.io" },
          spec: {
            service: { name: "metrics", namespace: "kube-system" },
            group: "metrics.k8s.io",
            version: "v1beta1",
            insecureSkipTLSVerify: true,
            groupPriorityMinimum: 100,
            versionPriority: 100,
          },
        },
      ),
    );
  }

  kubectl(words: readonly string[], input?: object): Promise<string> {
    return this.#run("kubectl", words, input);
  }

  async read(...words: readonly string[]): Promise<Field> {
    return JSON.parse(await this.kubectl([...words, "-o", "json"]));
  }

  helm(words: readonly string[], values?: object): Promise<string> {
    return this.#run("helm", values === undefined ? words : [...words, "--values", "-"], values);
  }

  shell(script: string): Promise<string> {
    return this.#run("bash", ["-euo", "pipefail", "-c", script]);
  }

  async volume(claim: Claim, { copyOf, sizeMb }: VolumeOptions = {}): Promise<void> {
    const path = join(this.folder, "volumes", claim.namespace, claim.name);
    mkdirSync(path, { recursive: true });
    if (copyOf !== undefined) await execute("cp", ["-a", `${copyOf}/.`, path]);
    if (sizeMb !== undefined) {
      // In the mounts of the machine, not of this host.
      const init = readFileSync(join(this.folder, "init"), "utf8").trim();
      await execute("nsenter", ["--mount", "--target", init, "mount", "-t", "tmpfs", "-o", `size=${sizeMb}m,mode=777`, "tmpfs", path]);
    }
    const onNode1 = { key: "kubernetes.io/hostname", operator: "In", values: ["node1"] };
    await this.kubectl(["apply", "-f", "-"], {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `${claim.namespace}-${claim.name}` },
      spec: {
        capacity: { storage: "20Gi" },
        accessModes: ["ReadWriteOnce"],
        claimRef: claim,
        local: { path },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [onNode1] }] } },
      },
    });
  }

  async restart(): Promise<void> {
    const times = lines(join(this.folder, "boots"));
    process.kill(Number(readFileSync(join(this.folder, "init"), "utf8")), "SIGKILL");
    await this.comesUp(times + 1);
  }

  async #run(program: string, words: readonly string[], input?: object): Promise<string> {
    const running = execute(program, words, {
      env: this.#env,
      cwd: project,
      maxBuffer: 64 << 20,
      timeout: 300_000,
    });
    running.child.stdin?.on("error", () => undefined);
    running.child.stdin?.end(input === undefined ? "" : JSON.stringify(input));
    return (await running).stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#machine.stdin?.end();
    await until("the end of the node", () => this.#machine.exitCode !== null || this.#machine.signalCode !== null, 60_000);
  }
}

function lines(path: string): number {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

function list(...items: readonly object[]): object {
  return { apiVersion: "v1", kind: "List", items };
}
