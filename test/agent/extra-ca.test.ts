import { X509Certificate } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createControlPlaneClient } from "../../src/agent/contact/control-plane-client.ts";
import { createRenewedClient } from "../../src/agent/contact/renewed-client.ts";
import { createTrustStore, readExtraCas, type TrustStore } from "../../src/agent/host/extra-ca.ts";
import { createApiRunner } from "../../src/agent/runners/api/api-runner.ts";
import { ApiCheckSettings } from "../../src/contract/checks/api.ts";
import { makeCertificates } from "../support/certificates.ts";
import { serve } from "../support/http-servers/raw-server.ts";
import { noNginx, startNginx } from "../support/nginx.ts";
import { runContext } from "../support/run-context.ts";
import { logOf } from "./agent-under-test.ts";

const certificates = makeCertificates();
const other = makeCertificates();
afterAll(() => {
  certificates[Symbol.dispose]();
  other[Symbol.dispose]();
});

let folder = "";
let nowMs = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "extra-ca-"));
  const made = folder;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  nowMs = 1_000;
});

const put = (name: string, text: string | Buffer): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

function storeOf(path: string): TrustStore & { readonly lines: ReturnType<typeof logOf>["lines"] } {
  const { log, lines } = logOf();
  return { ...createTrustStore(path, log, { monotonicMs: () => nowMs }), lines };
}

describe("the extra CAs", () => {
  it("come from a bundle, a folder, or a single DER certificate, each once", () => {
    const bundle = put("bundle.pem", `my CA\n${certificates.ca}\n# and theirs\r\n${other.ca}`);
    expect(readExtraCas(bundle)).toEqual([certificates.ca.trim(), other.ca.trim()]);
    put("again.crt", certificates.ca);
    put("der.CER", new X509Certificate(other.ca).raw);
    put("notes.txt", "-----BEGIN CERTIFICATE-----");
    put("key.pem", certificates.pair("good").key);
    const fingerprints = readExtraCas(folder).map((pem) => new X509Certificate(pem).fingerprint256);
    expect(new Set(fingerprints)).toEqual(new Set([certificates.ca, other.ca].map((pem) => new X509Certificate(pem).fingerprint256)));
  });

  it.each([
    ["nothing there", () => join(folder, "nowhere"), "cannot be read"],
    ["an empty folder", () => folder, "no certificate found"],
    ["a file without certificates", () => put("a.pem", "hello"), "no certificate found"],
    ["a certificate cut short", () => put("a.pem", certificates.ca.slice(0, 300)), "ends within a certificate"],
    [
      "a certificate that is none",
      () => put("a.pem", certificates.ca.replace(/\n[\w+/]{20}/, "\nAAAAAAAAAAAAAAAAAAAA")),
      "broken certificate",
    ],
    ["a broken DER file", () => put("a.cer", Buffer.from([0x30, 0x82, 1, 2, 3])), "broken certificate"],
    ["a device", () => "/dev/zero", "is no file of certificates"],
  ])("are refused at the start: %s", (_title, path, reason) => {
    expect(() => readExtraCas(path())).toThrow(expect.objectContaining({ name: "ConfigError", message: expect.stringContaining(reason) }));
  });
});

describe("trust that follows the CAs", () => {
  it("is read again when a file changed, at most once a minute, and otherwise stays the same object", () => {
    const path = put("ca.pem", certificates.ca);
    const store = storeOf(path);
    const [trust, cas] = [store.trust(), store.extraCas()];
    writeFileSync(path, other.ca);
    nowMs += 59_999;
    expect([store.trust() === trust, store.extraCas() === cas]).toEqual([true, true]);
    nowMs += 1;
    expect(store.extraCas()).toEqual([other.ca.trim()]);
    expect(store.trust()).not.toBe(trust);
    const after = store.trust();
    nowMs += 60_000;
    expect(store.trust()).toBe(after);
    expect(store.lines.map(({ msg }) => msg)).toEqual(["reloaded certificate authorities"]);
  });

  it.each([
    ["a file added to the folder", () => put("b.pem", other.ca)],
    [
      "a mounted volume swapped by its link",
      () => {
        mkdirSync(join(folder, "..data2"));
        writeFileSync(join(folder, "..data2", "a.pem"), certificates.ca + other.ca);
        symlinkSync("..data2/a.pem", join(folder, "new"));
        renameSync(join(folder, "new"), join(folder, "a.pem"));
      },
    ],
  ])("takes %s", (_title, change) => {
    put("a.pem", certificates.ca);
    const store = storeOf(folder);
    change();
    nowMs += 60_000;
    expect(store.extraCas()).toHaveLength(2);
  });

  it.each([
    ["vanishes", (path: string) => unlinkSync(path)],
    ["is half written", (path: string) => writeFileSync(path, other.ca.slice(0, 200))],
    ["is emptied", (path: string) => writeFileSync(path, "")],
    [
      "turns into a folder without certificates",
      (path: string) => {
        unlinkSync(path);
        mkdirSync(path);
      },
    ],
  ])("keeps the last good ones when the file %s, warns once, and takes the next good ones", (_title, harm) => {
    const path = put("ca.pem", certificates.ca);
    const store = storeOf(path);
    const [trust, cas] = [store.trust(), store.extraCas()];
    harm(path);
    for (let minute = 0; minute < 3; minute += 1) {
      nowMs += 60_000;
      expect([store.trust() === trust, store.extraCas() === cas]).toEqual([true, true]);
    }
    expect(store.lines).toMatchObject([
      { level: 40, msg: "could not reload certificate authorities; keeping the previous ones", reason: expect.stringContaining(path) },
    ]);
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, other.ca);
    nowMs += 60_000;
    expect(store.extraCas()).toEqual([other.ca.trim()]);
  });

  it("is not asked of the disk on the way of a check", () => {
    const store = storeOf(put("ca.pem", certificates.ca));
    rmSync(folder, { recursive: true });
    for (let call = 0; call < 1_000; call += 1) store.trust();
    expect(store.lines).toEqual([]);
  });

  it("without a path is the usual one", () => {
    const store = createTrustStore(null, logOf().log, { monotonicMs: () => nowMs });
    nowMs += 120_000;
    expect([store.extraCas(), store.trust() === store.trust()]).toEqual([[], true]);
    expect(store.extraCas()).toBe(store.extraCas());
  });

  it("recovers when the rights to the file do", () => {
    const path = put("ca.pem", certificates.ca);
    const store = storeOf(path);
    writeFileSync(path, other.ca);
    chmodSync(path, 0);
    nowMs += 60_000;
    expect(asNobody(() => store.extraCas())).toEqual([certificates.ca.trim()]);
    chmodSync(path, 0o600);
    nowMs += 60_000;
    expect(store.extraCas()).toEqual([other.ca.trim()]);
  });
});

describe("a CA that is added while the agent runs", () => {
  it("is trusted by checks of a real nginx, and no more when it is taken away", async (context) => {
    if (noNginx !== null) return context.skip(`skipped: ${noNginx}`);
    await using nginx = await startNginx();
    put("other.pem", other.ca);
    const store = storeOf(folder);
    const runner = createApiRunner(store.trust);
    const url = `https://localhost:${nginx.tlsPorts.good}/`;
    const settings = ApiCheckSettings.parse({ request: { method: "GET", url }, degradedResponseTime: null, maxResponseTime: null });
    const failure = async (): Promise<string | undefined> => (await runner.run(settings, runContext())).failure?.code;
    expect(await failure()).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    put("nginx.pem", nginx.certificates.ca);
    nowMs += 60_000;
    expect(await failure()).toBeUndefined();
    unlinkSync(join(folder, "nginx.pem"));
    nowMs += 60_000;
    expect(await failure()).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
  });

  it("is trusted by management traffic, whose requests under way end undisturbed", async () => {
    const held = Promise.withResolvers<void>();
    const server = await serve(
      createSecureServer(certificates.pair("good"), (request, response) => {
        if (request.url === "/held") void held.promise.then(() => response.end("held"));
        else response.end("at once");
      }),
      "listening",
      () => undefined,
    );
    onTestFinished(() => server[Symbol.asyncDispose]());
    put("other.pem", other.ca);
    const store = storeOf(folder);
    const closed: number[] = [];
    let made = 0;
    const client = createRenewedClient((extraCas) => {
      const number = (made += 1);
      const inner = createControlPlaneClient(new URL(`https://127.0.0.1:${server.port}`), null, extraCas);
      return { send: (request, signal) => inner.send(request, signal), close: () => inner.close().finally(() => closed.push(number)) };
    }, store.extraCas);
    const send = (path: string) =>
      client.send({ method: "GET", path, headers: {}, body: null, limitMs: 5_000 }, new AbortController().signal);
    await expect(send("/")).rejects.toMatchObject({ code: "unreachable", message: expect.stringContaining("UNABLE_TO_VERIFY") });
    put("server.pem", certificates.ca);
    nowMs += 60_000;
    expect((await send("/")).text).toBe("at once");
    const underWay = send("/held");
    put("other.pem", `${other.ca}\n\n`);
    nowMs += 60_000;
    expect((await send("/")).text).toBe("at once");
    expect(closed).toEqual([1]);
    held.resolve();
    expect((await underWay).text).toBe("held");
    await client.close();
    expect([made, new Set(closed)]).toEqual([3, new Set([1, 2, 3])]);
    await client.close();
  });
});

/** Root reads every file, so root does it as somebody else. */
function asNobody<T>(work: () => T): T {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}
