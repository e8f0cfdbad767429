import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiObject, type ApiServer, noApiServer, type Reply, startApiServer } from "../support/api-server.ts";
import { chartFolder, type Field, type Manifest, render } from "../support/chart-tools.ts";
import { matrix } from "./matrix.ts";

if (noApiServer) process.stdout.write(`Tests with a Kubernetes API server are skipped: ${noApiServer}\n`);

const restricted = "restricted";
let server: ApiServer;

interface PodObject extends ApiObject {
  readonly spec: Field;
}

beforeAll(async () => {
  if (noApiServer) return;
  server = await startApiServer();
  await server.createNamespace("monitoring");
  await server.createNamespace(restricted, { "pod-security.kubernetes.io/enforce": "restricted" });
}, 90_000);
afterAll(async () => server?.[Symbol.asyncDispose]());

describe.skipIf(noApiServer)("a Kubernetes API server", () => {
  it.each(matrix)("takes every manifest of charts/$chart with $name without a warning", async ({ chart, values }) => {
    const replies = await Promise.all(render(chart, values).map((manifest) => server.dryRunApply(manifest, "monitoring")));
    expect(replies.length).toBeGreaterThan(0);
    expect(replies.flatMap((reply) => refusal(reply) ?? reply.warnings)).toEqual([]);
  });

  it.each(matrix)("lets the pods of charts/$chart with $name into a restricted namespace, unless they ask for NET_RAW", async (it) => {
    const pods = render(it.chart, it.values).flatMap(podOf);
    expect(pods.length).toBeGreaterThan(0);
    const answers = await Promise.all(
      pods.map(async (pod) => ({ mayRun: !asksForNetRaw(pod), refusal: refusal(await server.dryRunCreate(pod, restricted)) })),
    );
    const netRaw = "unrestricted capabilities";
    expect(answers.filter(({ mayRun, refusal: why }) => (mayRun ? why !== null : !why?.includes(netRaw)))).toEqual([]);
  });

  it("refuses a field that a kind does not have, a wrong value and a duplicate", async () => {
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "planted" } } as Manifest;
    const wrong = [
      { ...service, spec: { ports: [{ port: 80, prot: 1 }] } },
      { ...service, spec: { ports: [{ port: 99_999 }] } },
      { ...service, spec: { ports: [{ port: 80 }, { port: 80 }] } },
    ] as Manifest[];
    const replies = await Promise.all(wrong.map((manifest) => server.dryRunApply(manifest, "monitoring")));
    expect(replies.map(({ body }) => body.message)).toEqual([
      expect.stringContaining("field not declared in schema"),
      expect.stringContaining("must be between 1 and 65535"),
      expect.stringMatching(/duplicate/i),
    ]);
  });

  it("refuses a custom resource that its definition does not allow", async () => {
    const rule = { apiVersion: "monitoring.coreos.com/v1", kind: "PrometheusRule", metadata: { name: "planted" } } as Manifest;
    const { status } = await server.dryRunApply(
      { ...rule, spec: { groups: [{ name: "planted", rules: [{ alert: "x" }] }] } },
      "monitoring",
    );
    expect(status).toBe(422);
  });

  it("keeps the key pepper that charts/control-plane made, through upgrades and a new installation", async () => {
    const release = ["outpost", chartFolder("control-plane"), "--namespace", "installed", "--no-hooks"];
    const values = { database: { type: "postgresql", existingSecret: { name: "database" } } };
    const pepper = async (): Promise<string> => {
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "outpost-control-plane-key-pepper" } };
      return (await server.read(secret, "installed")).body.data.pepper;
    };
    await server.createNamespace("installed");
    server.helm(["install", ...release, "--values", "-"], values);
    const made = await pepper();
    expect(Buffer.from(made, "base64").length).toBeGreaterThanOrEqual(32);
    server.helm(["upgrade", ...release, "--values", "-"], { ...values, replicas: 3 });
    expect(await pepper()).toBe(made);
    server.helm(["uninstall", "outpost", "--namespace", "installed", "--no-hooks"]);
    server.helm(["install", ...release, "--values", "-"], values);
    expect(await pepper()).toBe(made);
  });

  it("keeps a pod without a security context out of a restricted namespace", async () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "planted" }, spec: { containers: [{ name: "a", image: "a" }] } };
    const { status, body } = await server.dryRunCreate(pod, restricted);
    expect(status).toBe(403);
    expect(body.message).toContain("allowPrivilegeEscalation != false");
  });
});

/** What the server said where it refused. */
function refusal({ status, body }: Reply): string | null {
  return status < 300 ? null : body.message;
}

/** The pod that a workload would start; a StatefulSet's claims become volumes, as its controller does it. */
function podOf({ kind, metadata, spec }: Manifest): PodObject[] {
  const template = kind === "Pod" ? { spec } : (spec?.template ?? spec?.jobTemplate?.spec.template);
  if (!template?.spec?.containers) return [];
  const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata: { name } }: Manifest) => ({
    name,
    persistentVolumeClaim: { claimName: name },
  }));
  const volumes = [...(template.spec.volumes ?? []), ...claims];
  return [{ apiVersion: "v1", kind: "Pod", metadata: { ...template.metadata, name: metadata.name }, spec: { ...template.spec, volumes } }];
}

function asksForNetRaw({ spec }: PodObject): boolean {
  return [...spec.containers, ...(spec.initContainers ?? [])].some((it) => it.securityContext?.capabilities?.add?.includes("NET_RAW"));
}
