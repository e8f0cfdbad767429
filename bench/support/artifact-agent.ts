import { createParts, systemDeps } from "../../src/agent/agent-parts.ts";
import type { AttemptRef } from "../../src/agent/artifacts/found-file.ts";
import { readAgentConfig } from "../../src/agent/config.ts";
import { newIdentity } from "../../src/agent/contact/introduction.ts";
import { createKeyReader } from "../../src/agent/contact/location-key.ts";
import type { FoundFile } from "../../src/agent/runners/check-runner.ts";
import { createKnownSecrets } from "../../src/agent/runs/known-secrets.ts";
import { createAgentSecrets } from "../../src/agent/scripts/agent-secrets.ts";
import { createLogger } from "../../src/daemon/logger.ts";

/** What the parent process sends. */
export interface ArtifactOrder {
  readonly attempt: AttemptRef;
  readonly found: FoundFile & { readonly content: { readonly file: string } };
  readonly secrets: readonly string[];
}

/**
 * An agent whose checks leave files of any size, as no check type of today does: it takes them from its parent and tells when each is
 * stored. Everything but the check is the agent's own.
 */
const config = readAgentConfig(process.env);
const log = createLogger("agent", config.logLevel, false);
const deps = systemDeps(config, log);
const agentSecrets = createAgentSecrets(config.secrets, log, deps.clock);
const secrets = createKnownSecrets(config.proxy, agentSecrets.values);
const readKey = createKeyReader(config.key, log);
const access = { secrets, agentSecrets, readKey: () => secrets.remember(readKey()), onIncompatible: () => {} };
const { artifacts, artifactUploader, controlPlane, leases, outbox } = createParts(config, deps, access, newIdentity(), () => 0);
const never = new AbortController().signal;

process.on("message", ({ attempt, found, secrets: known }: ArtifactOrder) => {
  void deliver(attempt, found, known);
});
process.on("disconnect", () => process.exit());
await outbox.start();
await artifacts.start();
artifactUploader.start();
leases.start();
await controlPlane.session(never);
process.send?.("ready");

async function deliver(attempt: AttemptRef, found: FoundFile, known: readonly string[]): Promise<void> {
  artifacts.keep(attempt, "a check", [found], known);
  await artifacts.settle(never);
  process.send?.("scrubbed");
  const timer = setInterval(() => {
    if (artifacts.state().waiting > 0) return;
    clearInterval(timer);
    process.send?.("delivered");
  }, 5);
}
