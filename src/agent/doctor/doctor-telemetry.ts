import { reportErrorEvents } from "#contract/agent-protocol.ts";
import { ConfigError } from "#daemon/env.ts";
import { proxyFor } from "#daemon/proxy.ts";
import type { AgentConfig } from "../config.ts";
import { eventOf } from "../contact/error-events.ts";
import { readLocationKey } from "../contact/location-key.ts";
import { createKnownSecrets, type KnownSecrets } from "../runs/known-secrets.ts";

/** What `outpost doctor --telemetry` prints: whether, where to and what an agent with this configuration reports about itself. Sends nothing. */
export function telemetryText(config: AgentConfig, secretsOfAgent: readonly string[]): string {
  const known = createKnownSecrets(config.proxy, () => secretsOfAgent);
  const samples = sampleErrors(rememberedKey(config, known)).map((error) => eventOf(error, (text) => known.mask(text)));
  return [
    config.reportsErrors
      ? "Error events are on: when something goes wrong in the agent itself, it tells the control plane. EXTERNAL_OBSERVABILITY=off ends that."
      : "Error events are off (EXTERNAL_OBSERVABILITY): the agent sends none. With `on` it would send what follows.",
    `They go to ${addressOf(config)}, and nowhere else; at most 20 an hour, each error once in that time.`,
    "No key, variable, check, URL, header or body is in them. These are samples, made and scrubbed here as real ones are:",
    JSON.stringify({ events: samples }, null, 2),
    "",
  ].join("\n\n");
}

function rememberedKey(config: AgentConfig, known: KnownSecrets): string {
  try {
    return known.remember(readLocationKey(config.key)).reveal();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return "pl_00000000000000000000000000000000"; // the doctor itself tells what is wrong with the key
  }
}

function addressOf({ apiUrl, proxy }: AgentConfig): string {
  const { method, path } = reportErrorEvents;
  const through = proxyFor(apiUrl, proxy);
  const address = `${apiUrl.origin}${apiUrl.pathname.replace(/\/$/, "")}${path}`;
  return `${method} ${address}${through === null ? "" : ` through the proxy ${new URL(through.reveal()).host}`}`;
}

/** What goes wrong in real life, with what must not get out put into it. */
function sampleErrors(key: string): Error[] {
  return [
    Object.assign(new Error("connect ECONNREFUSED 10.1.2.3:5432"), { code: "ECONNREFUSED", syscall: "connect" }),
    new TypeError("Cannot read properties of undefined (reading 'headers')"),
    new Error(
      `the request with the key ${key} (${Buffer.from(key).toString("base64")}) to https://user:password@shop.example/orders?id=7 did not end`,
    ),
    new SyntaxError("Unexpected token '<', \"<html>Welcome back, Jane\" is not valid JSON"),
  ];
}
