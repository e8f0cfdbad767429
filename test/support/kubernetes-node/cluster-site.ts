import { randomInt } from "node:crypto";
import type { CheckGap } from "../../../src/contract/check-gaps.ts";
import type { CheckResult } from "../../../src/contract/check-results.ts";
import type { CheckSession, CheckSessionWithResults } from "../../../src/contract/check-sessions.ts";
import type { Field } from "../chart-tools.ts";
import { until } from "../processes.ts";
import { type KubernetesNode, registry, type VolumeOptions } from "./kubernetes-node.ts";

/** Where processors are busy a pod takes its time. */
const podLimitMs = 240_000;
/** So that pods of all tests find room on two processors; the charts' own requests are for production. */
const small = { resources: { requests: { cpu: "20m" } } };
const ofOurs = { image: { registry } };
const rateLimits = { standard: "1000000/60", results: "1000000/60" };

/** The chart's claim for the volume of SQLite. */
export const dataClaim = "data-outpost-control-plane-0";
const untilReady = ["--wait", "--timeout=5m"];

export interface InstallOptions {
  readonly values?: object;
  /** Folder of the charts; those of this tree when absent. */
  readonly charts?: string;
  readonly disk?: VolumeOptions;
}

/** A control plane that Helm installed into a namespace of its own, and its REST API at a port of the node. */
export class ClusterSite {
  readonly node: KubernetesNode;
  readonly namespace: string;
  readonly base: string;
  #key = "";

  private constructor(node: KubernetesNode, namespace: string, port: number) {
    this.node = node;
    this.namespace = namespace;
    this.base = `http://${node.address}:${port}`;
  }

  /** Of a control plane that is installed as the release `outpost`. */
  static async of(node: KubernetesNode, namespace: string): Promise<ClusterSite> {
    const port = randomNodePort();
    const site = new ClusterSite(node, namespace, port);
    const selector = { "app.kubernetes.io/instance": "outpost", "app.kubernetes.io/component": "control-plane" };
    await site.apply({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "tests" },
      spec: { type: "NodePort", selector, ports: [{ port: 3000, targetPort: 3000, nodePort: port }] },
    });
    site.#key = (await site.inControlPlane("keys", "create", "--role", "OWNER")).trim();
    return site;
  }

  /** Makes a namespace and installs a control plane on SQLite there. */
  static async install(node: KubernetesNode, namespace: string, options: InstallOptions = {}): Promise<ClusterSite> {
    const { values, charts = "charts", disk } = options;
    await node.volume({ namespace, name: dataClaim }, disk);
    const all = { ...ofOurs, ...small, config: { rateLimits }, ...values };
    await node.helm(["install", "outpost", `${charts}/control-plane`, "-n", namespace, "--create-namespace", ...untilReady], all);
    return ClusterSite.of(node, namespace);
  }

  kubectl(...words: readonly string[]): Promise<string> {
    return this.node.kubectl(["-n", this.namespace, ...words]);
  }

  read(...words: readonly string[]): Promise<Field> {
    return this.node.read("-n", this.namespace, ...words);
  }

  async apply(object: object): Promise<void> {
    await this.node.kubectl(["-n", this.namespace, "apply", "-f", "-"], object);
  }

  /** Runs one of the program's commands where the control plane runs. */
  inControlPlane(...words: readonly string[]): Promise<string> {
    return this.kubectl("exec", "statefulset/outpost-control-plane", "--", "outpost", ...words);
  }

  /** Makes a location, and installs agents for it as a release of its name. */
  async agents(location: string, { values, charts = "charts" }: InstallOptions = {}): Promise<void> {
    const key = (await this.inControlPlane("location-key", "--create", location)).trim();
    await this.kubectl("create", "secret", "generic", `${location}-key`, `--from-literal=api-key=${key}`);
    const apiUrl = `http://outpost-control-plane.${this.namespace}.svc:3000`;
    const all = { ...ofOurs, ...small, apiUrl, apiKey: { existingSecret: { name: `${location}-key` } }, ...values };
    await this.node.helm(["install", location, `${charts}/agent`, "-n", this.namespace, ...untilReady], all);
  }

  /** A server in a pod that answers every request with 200, `/slow` after 8 s. @returns its URL inside the cluster */
  async target(): Promise<string> {
    const labels = { app: "target" };
    const program = `require("node:http").createServer(({ url }, response) => setTimeout(() => response.end("here"), url === "/slow" ? 8_000 : 0)).listen(8080)`;
    const container = {
      name: "target",
      image: `${registry}/outpost/control-plane:0.0.9`,
      command: ["/usr/local/bin/node", "-e", program],
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      readinessProbe: { tcpSocket: { port: 8080 } },
    };
    const securityContext = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };
    await this.apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "target", labels },
      spec: { securityContext, containers: [container] },
    });
    const port = randomNodePort();
    const spec = { type: "NodePort", selector: labels, ports: [{ port: 8080, nodePort: port }] };
    await this.apply({ apiVersion: "v1", kind: "Service", metadata: { name: "target" }, spec });
    // A pod is ready a little before packets for its Service find it.
    await until("an answer of the target", async () => (await fetch(`http://${this.node.address}:${port}/`)).ok, podLimitMs);
    return `http://target.${this.namespace}.svc:8080`;
  }

  /** Status of an address of a pod, which the API server asks: 200 or 503; undefined where nobody answers. */
  async probe(pod: string, port: number, path: string): Promise<number | undefined> {
    const url = `/api/v1/namespaces/${this.namespace}/pods/${pod}:${port}/proxy${path}`;
    try {
      await this.node.kubectl(["get", "--raw", url]);
      return 200;
    } catch (error) {
      return /error trying to reach service|NotFound/.test(String(error)) ? undefined : 503;
    }
  }

  /** Asks that a pod goes, as `kubectl drain` does. @returns what the API server said */
  evict(pod: string): Promise<string> {
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod, namespace: this.namespace } };
    return this.node
      .kubectl(["create", "--raw", `/api/v1/namespaces/${this.namespace}/pods/${pod}/eviction`, "-f", "-"], eviction)
      .catch((error: unknown) => String(error));
  }

  /** The pods of a release, without those of its tests. */
  async pods(release: string): Promise<Field[]> {
    const { items } = await this.read("get", "pods", "-l", `app.kubernetes.io/instance=${release},app.kubernetes.io/component!=test`);
    return items;
  }

  /** Waits until the pods of a release are as many, and all ready; those of the control plane also for the tests. */
  async ready(release: string, count: number): Promise<void> {
    await until(
      `${count} ready pods of ${release}`,
      async () => {
        const pods = await this.pods(release);
        return pods.length === count && pods.every(isReady);
      },
      podLimitMs,
    );
    // A pod is ready a little before packets for its Service find it.
    if (release === "outpost") await until("the REST API", async () => (await fetch(`${this.base}/-/readiness`)).ok, podLimitMs);
  }

  /** @throws for every answer that is no success */
  async api<T>(method: string, path: string, body?: object): Promise<T> {
    const reply = await fetch(`${this.base}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, connection: "close", ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(40_000),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  /** A check that runs only when it is triggered, without retries, unless `settings` say otherwise. @returns its id */
  async check(type: string, location: string, request: object | null, settings: object = {}): Promise<string> {
    const own = { frequency: 1440, runParallel: true, retryStrategy: null, ...(request && { request }) };
    const check = { name: type, privateLocations: [location], ...own, ...settings };
    return (await this.api<{ id: string }>("POST", `/v1/checks/${type}`, check)).id;
  }

  /** Asks for a run of a check. @returns the id of its session */
  async trigger(checkId: string): Promise<string> {
    const target = { checkId: [checkId] };
    const { sessions } = await this.api<{ sessions: CheckSession[] }>("POST", "/v2/check-sessions/trigger", { target });
    return sessions[0]?.checkSessionId ?? "";
  }

  /** Runs a check once. @returns its result */
  async run(checkId: string): Promise<CheckResult> {
    return this.resultOf(checkId, await this.trigger(checkId));
  }

  /** Waits for the end of a session. @returns its result: one, as it has one location and no retries */
  async resultOf(checkId: string, session: string): Promise<CheckResult> {
    await until("the end of a run", async () => (await this.session(session)).stoppedAt !== null, podLimitMs);
    const [end, ...more] = (await this.session(session)).results;
    if (end === undefined || more.length > 0) throw new Error(`session ${session} has ${more.length + Number(end !== undefined)} results`);
    return this.api("GET", `/v1/check-results/${checkId}/${end.checkResultId}`);
  }

  session(id: string): Promise<CheckSessionWithResults> {
    return this.api("GET", `/v2/check-sessions/${id}`);
  }

  /** All results of a check, newest first, page by page. */
  async results(checkId: string): Promise<CheckResult[]> {
    const all: CheckResult[] = [];
    for (let nextId: string | null = ""; nextId !== null; ) {
      const cursor: string = nextId === "" ? "" : `&nextId=${encodeURIComponent(nextId)}`;
      const path = `/v2/check-results/${checkId}?resultType=ALL&limit=100${cursor}`;
      const page: { entries: CheckResult[]; nextId: string | null } = await this.api("GET", path);
      all.push(...page.entries);
      nextId = page.nextId;
    }
    return all;
  }

  /** Slots of a check that never became a run: the first hundred. */
  gaps(checkId: string): Promise<CheckGap[]> {
    return this.api("GET", `/v1/checks/${checkId}/gaps?limit=100`);
  }

  /** Nothing of it stays on the node. */
  async remove(): Promise<void> {
    await this.node.kubectl(["delete", "namespace", this.namespace, "--wait=false"]);
  }
}

export function isReady(pod: Field): boolean {
  const conditions: Field[] = pod.status.conditions ?? [];
  return pod.metadata.deletionTimestamp === undefined && conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/** Of those that Kubernetes gives to services. */
function randomNodePort(): number {
  return randomInt(30_000, 32_768);
}
