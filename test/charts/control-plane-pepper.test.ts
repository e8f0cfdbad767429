import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { chartTools, type Field } from "../support/chart-tools.ts";

const chart = join(import.meta.dirname, "../../charts/control-plane");
const secretName = "outpost-control-plane-key-pepper";
const encryptionSecretName = "outpost-control-plane-encryption-key";
const secretsPath = "/api/v1/namespaces/monitoring/secrets";
let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  if (server) await once(server.close(), "close");
  server = undefined;
});

describe.skipIf(!chartTools())("the pepper that the chart makes", () => {
  it("is 64 random characters at the first install", async () => {
    await clusterWith([]);
    const [first, second] = [await pepperOf(), await pepperOf()];
    expect(atob(first)).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(second).not.toBe(first);
  });

  it("stays the same with every upgrade", async () => {
    const kept = btoa("made-by-an-earlier-release-of-the-chart");
    await clusterWith([{ metadata: { name: secretName }, data: { pepper: kept } }]);
    expect([await pepperOf(), await pepperOf("--set", "replicas=3"), await pepperOf("--is-upgrade")]).toEqual([kept, kept, kept]);
  });

  it("is not the one of another release in the namespace", async () => {
    const other = btoa("the-pepper-of-somebody-else");
    await clusterWith([{ metadata: { name: "other-outpost-control-plane-key-pepper" }, data: { pepper: other } }]);
    expect(await pepperOf()).not.toBe(other);
  });

  it("gives way to one that is given", async () => {
    await clusterWith([{ metadata: { name: secretName }, data: { pepper: btoa("before") } }]);
    const given = "given-by-the-operator-0123456789abcdef";
    expect(await pepperOf("--set", `keyPepper.value=${given}`)).toBe(btoa(given));
  });
});

describe.skipIf(!chartTools())("the encryption key that the chart makes", () => {
  it("is 32 random bytes in hexadecimal at the first install", async () => {
    await clusterWith([]);
    const [first, second] = [await encryptionKeyOf(), await encryptionKeyOf()];
    expect(atob(first)).toMatch(/^[0-9a-f]{64}$/);
    expect(second).not.toBe(first);
  });

  it("stays the same with every upgrade, and gives way to one that is given", async () => {
    const kept = btoa("a".repeat(64));
    await clusterWith([{ metadata: { name: encryptionSecretName }, data: { key: kept } }]);
    expect([await encryptionKeyOf("--set", "replicas=3"), await encryptionKeyOf("--is-upgrade")]).toEqual([kept, kept]);
    const given = `b${"0a".repeat(31)}c`;
    expect(await encryptionKeyOf("--set-string", `encryptionKey.value=${given}`)).toBe(btoa(given));
  });
});

/** As much of a Kubernetes API as `lookup` asks: which kinds there are, one Secret, all Secrets. */
async function clusterWith(secrets: readonly Field[]): Promise<void> {
  const whole = secrets.map((secret) => ({ apiVersion: "v1", kind: "Secret", ...secret }));
  const kinds = [{ name: "secrets", singularName: "secret", namespaced: true, kind: "Secret", verbs: ["get", "list"] }];
  const answers: Readonly<Record<string, object>> = {
    "/api/v1": { kind: "APIResourceList", groupVersion: "v1", resources: kinds },
    [secretsPath]: { apiVersion: "v1", kind: "SecretList", metadata: { resourceVersion: "1" }, items: whole },
    ...Object.fromEntries(whole.map((secret) => [`${secretsPath}/${secret.metadata.name}`, secret])),
  };
  server = createServer(({ url = "" }, response) => {
    const answer = answers[url.split("?")[0] ?? ""];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { apiVersion: "v1", kind: "Status", status: "Failure", reason: "NotFound", code: 404 }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
}

/** Base64 of the pepper in the Secret that Helm would apply. */
async function pepperOf(...more: readonly string[]): Promise<string> {
  return (await secretOf(secretName, more)).pepper;
}

async function encryptionKeyOf(...more: readonly string[]): Promise<string> {
  return (await secretOf(encryptionSecretName, more)).key;
}

async function secretOf(name: string, more: readonly string[]): Promise<Field> {
  const { helm = "", kubernetesVersion = "" } = chartTools() ?? {};
  const { port } = (server as Server).address() as AddressInfo; // it listens
  const cluster = ["--dry-run=server", "--kube-apiserver", `http://127.0.0.1:${port}`, "--kube-version", kubernetesVersion];
  const values = ["--set", "database.type=postgresql,database.existingSecret.name=pg", ...more];
  const { stdout } = await promisify(execFile)(helm, ["template", "outpost", chart, "--namespace", "monitoring", ...cluster, ...values], {
    env: { PATH: process.env["PATH"], KUBECONFIG: "/dev/null", HOME: "/nonexistent" },
    maxBuffer: 8 * 1024 * 1024,
  });
  const secrets = parseAllDocuments(stdout).map((document): Field => document.toJS());
  return secrets.find((it) => it?.kind === "Secret" && it.metadata.name === name).data;
}
