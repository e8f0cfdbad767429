import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import { makeCertificates } from "./certificates.ts";
import { chartTools, type Field, helm, type Manifest } from "./chart-tools.ts";
import { freePorts } from "./free-ports.ts";
import { programsFolder as binaries } from "./kubernetes-node/programs.ts";

const token = "test-operator";

/** Why tests with a Kubernetes API server cannot run here, or null. */
export const noApiServer: string | null = !chartTools()
  ? "the chart tools are not built: run .ci/chart-tools"
  : existsSync(binaries)
    ? null
    : `${binaries} is not there: run .ci/kubernetes-node`;

/** What the server said to a manifest. */
export interface Reply {
  readonly status: number;
  /** The object as the server would store it, or a Status that says what is wrong. */
  readonly body: Field;
  /** Deprecated versions, duplicate names, breaches of a Pod Security Standard that only warns. */
  readonly warnings: readonly string[];
}

/** An object to create. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
}

/** A Kubernetes API server without nodes and controllers: it checks and stores objects, nothing more. */
export interface ApiServer extends AsyncDisposable {
  /** Makes a namespace; `labels` may ask for a Pod Security Standard. */
  createNamespace(name: string, labels?: Readonly<Record<string, string>>): Promise<void>;
  /** Server-side apply as a dry run, strict about fields. */
  dryRunApply(manifest: Manifest, namespace: string): Promise<Reply>;
  /** Creates an object as a dry run, strict about fields. */
  dryRunCreate(object: ApiObject, namespace: string): Promise<Reply>;
  read(object: ApiObject & { readonly metadata: { readonly name: string } }, namespace: string): Promise<Reply>;
  /** Helm with this server as its cluster: `install`, `upgrade` and so on. @throws Error with Helm's text */
  helm(args: readonly string[], values?: object): void;
}

/** Admission that asks for objects of a living cluster: service accounts made by a controller, an operator's priority and runtime classes. */
const ofLivingClusters = "ServiceAccount,Priority,RuntimeClass";

/** Starts etcd and kube-apiserver on loopback in a temporary folder and applies the custom resource definitions that the charts may use. */
export async function startApiServer(): Promise<ApiServer> {
  const folder = mkdtempSync(join(tmpdir(), "api-server-"));
  const certificates = makeCertificates();
  const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3);
  const children: ChildProcess[] = [];
  const start = (command: string, args: readonly string[]): void => {
    const log = openSync(join(folder, `${command}.log`), "a");
    children.push(spawn(join(binaries, command), args, { stdio: ["ignore", log, log], cwd: folder, env: {} }));
  };
  const stop = async (): Promise<void> => {
    await Promise.all(children.map(stopChild));
    rmSync(folder, { recursive: true, force: true });
    certificates[Symbol.dispose]();
  };
  try {
    start("etcd", etcdArguments(folder, etcdPort, peerPort));
    writeFileSync(join(folder, "tokens.csv"), `${token},operator,operator,system:masters\n`, { mode: 0o600 });
    start("kube-apiserver", serverArguments(folder, certificates.folder, port, etcdPort));
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(port, certificates.ca)), { mode: 0o600 });
    const client = new Client(port, certificates.ca);
    const isReady = async (): Promise<boolean> => {
      if (children.some(hasExited)) throw new Error(`etcd or kube-apiserver did not start: ${lastLines(folder)}`);
      return client.isReady();
    };
    await until(isReady, () => lastLines(folder));
    await applyDefinitions(client);
    return {
      async createNamespace(name, labels = {}) {
        const reply = await client.send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
        if (reply.status !== 201) throw new Error(`The namespace ${name} was not made: ${JSON.stringify(reply.body)}`);
      },
      dryRunApply: async (manifest, namespace) =>
        client.send(
          "PATCH",
          `${await client.path(manifest, namespace)}/${manifest.metadata.name}?fieldManager=test&force=true&${strictDryRun}`,
          manifest,
        ),
      dryRunCreate: async (manifest, namespace) =>
        client.send("POST", `${await client.path(manifest, namespace)}?${strictDryRun}`, manifest),
      read: async (object, namespace) => client.send("GET", `${await client.path(object, namespace)}/${object.metadata.name}`),
      helm(args, values = {}) {
        const { status, stderr } = helm([...args, "--kubeconfig", kubeconfig], values, { KUBECACHEDIR: join(folder, "kube-cache") });
        if (status !== 0) throw new Error(stderr);
      },
      async [Symbol.asyncDispose]() {
        client.close();
        await stop();
      },
    };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

const strictDryRun = "dryRun=All&fieldValidation=Strict";

function etcdArguments(folder: string, clientPort: number, peerPort: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  return [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    "--unsafe-no-fsync",
  ];
}

function serverArguments(folder: string, keys: string, port: number, etcdPort: number): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    "--endpoint-reconciler-type=none",
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    `--tls-cert-file=${keys}/good.pem`,
    `--tls-private-key-file=${keys}/good.key`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${keys}/good.pem`,
    `--service-account-signing-key-file=${keys}/good.key`,
    "--service-cluster-ip-range=10.0.0.0/24,fd00:10::/120",
    `--token-auth-file=${folder}/tokens.csv`,
    "--authorization-mode=RBAC",
    `--disable-admission-plugins=${ofLivingClusters}`,
  ];
}

function kubeconfigOf(port: number, ca: string): object {
  const cluster = { server: `https://127.0.0.1:${port}`, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster }],
    users: [{ name: "test", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    "current-context": "test",
  };
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

class Client {
  readonly #agent: Agent;
  readonly #port: number;
  readonly #resources = new Map<string, Promise<ResourceList>>();

  constructor(port: number, ca: string) {
    this.#port = port;
    this.#agent = new Agent({ ca, keepAlive: true });
  }

  async send(method: string, path: string, body?: object): Promise<Reply> {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      "content-type": method === "PATCH" ? "application/apply-patch+yaml" : "application/json",
    };
    const sent = request({ agent: this.#agent, host: "127.0.0.1", port: this.#port, method, path, headers });
    sent.end(body && JSON.stringify(body));
    const [response] = await once(sent, "response");
    const answer = await text(response);
    const { "content-type": type = "", warning = "" } = response.headers as Record<string, string>;
    return {
      status: response.statusCode,
      body: type.startsWith("application/json") ? JSON.parse(answer) : answer,
      warnings: warningsIn(warning),
    };
  }

  async isReady(): Promise<boolean> {
    return this.send("GET", "/readyz").then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** Path of the collection that an object belongs to. @throws Error when the server does not know its kind */
  async path({ apiVersion, kind }: Pick<ApiObject, "apiVersion" | "kind">, namespace: string): Promise<string> {
    const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const known = this.#resources.get(base) ?? this.send("GET", base).then(({ body }) => body as ResourceList);
    this.#resources.set(base, known);
    const resource = (await known).resources?.find((it) => it.kind === kind && !it.name.includes("/"));
    if (!resource) throw new Error(`The API server does not know ${kind} of ${apiVersion}`);
    return resource.namespaced ? `${base}/namespaces/${namespace}/${resource.name}` : `${base}/${resource.name}`;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** `299 - "a warning", 299 - "another"` (RFC 7234 §5.5). */
function warningsIn(header: string): string[] {
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, warning = ""]) => warning.replaceAll(/\\(.)/g, "$1"));
}

async function applyDefinitions(client: Client): Promise<void> {
  const folder = chartTools()?.crds ?? "";
  for (const file of readdirSync(folder)) {
    const crd = parse(readFileSync(join(folder, file), "utf8"));
    const collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const reply = await client.send("PATCH", `${collection}/${crd.metadata.name}?fieldManager=test`, crd);
    if (reply.status >= 300) throw new Error(`${file} was not applied: ${JSON.stringify(reply.body)}`);
    const { group, versions, names } = crd.spec;
    const isServed = async (): Promise<boolean> => {
      const { status, body } = await client.send("GET", `/apis/${group}/${versions[0].name}`);
      return status === 200 && (body as ResourceList).resources.some(({ kind }) => kind === names.kind);
    };
    await until(isServed, () => `${names.kind} is not served`);
  }
}

async function until(condition: () => Promise<boolean>, whyNot: () => string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The API server was not ready within 60 s: ${whyNot()}`);
}

function lastLines(folder: string): string {
  const last = (name: string): string =>
    readFileSync(join(folder, `${name}.log`), "utf8")
      .split("\n")
      .slice(-8)
      .join("\n");
  return ["etcd", "kube-apiserver"].map((name) => `${name}: ${last(name)}`).join("\n");
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (hasExited(child)) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
