import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Secret } from "#daemon/secret.ts";
import type { Service } from "#daemon/service.ts";
import { AppError } from "#domain/app-error.ts";
import type { ContactAlarmSettings } from "../config.ts";
import type { AgentClock } from "../host/clock.ts";
import type { Contact } from "./contact.ts";
import type { ControlPlaneClient } from "./control-plane-client.ts";

export interface ContactAlarmDeps {
  readonly settings: ContactAlarmSettings;
  readonly contact: Pick<Contact, "ageMs" | "trouble">;
  readonly clock: AgentClock;
  /** What people know the agent by. */
  readonly about: () => { readonly agent: string; readonly agentId: string; readonly location: string | null };
  /** For the webhook. */
  readonly client: (base: URL) => ControlPlaneClient;
  readonly log: Logger;
  /** For tests. */
  readonly rest?: { readonly lookMs: number; readonly againMs: number };
}

/** Between two looks; and until what did not get through is told again. */
const usualRest = { lookMs: 5_000, againMs: 60_000 };
const webhookLimitMs = 10_000;
const commandLimitMs = 30_000;

interface News {
  readonly event: "contact_lost" | "contact_back";
  readonly agent: string;
  readonly agentId: string;
  readonly location: string | null;
  /** In ISO 8601: of the last contact, or of the start. */
  readonly since: string;
  readonly reason: string | null;
  /** For people; chat services show it. */
  readonly text: string;
}

interface Way {
  readonly name: "webhook" | "command";
  /** @throws {AppError} when it did not get through */
  readonly send: (news: News, signal: AbortSignal) => Promise<void>;
  told: News["event"];
}

/**
 * Tells the operators of a location that its agent had no contact with the control plane, which may be the one that is gone; and when contact
 * is back. A program, a webhook, or both; what did not get through is told again each minute while it is true.
 */
export function createContactAlarm({ settings, contact, clock, about, client, log, rest = usualRest }: ContactAlarmDeps): Service {
  const startedMs = clock.monotonicMs();
  const { afterMs, url, command } = settings;
  const ways: readonly Way[] = [
    ...(url === null ? [] : [wayOf("webhook", (news, signal) => post(url, client, news, signal))]),
    ...(command === null ? [] : [wayOf("command", (news, signal) => run(command, news, signal))]),
  ];
  let since: string | null = null;

  async function turn(signal: AbortSignal): Promise<number> {
    const ageMs = contact.ageMs() ?? clock.monotonicMs() - startedMs;
    const event = ageMs >= afterMs ? "contact_lost" : "contact_back";
    if (event === "contact_lost") since ??= new Date(clock.wallMs() - ageMs).toISOString();
    const due = ways.filter((way) => way.told !== event);
    const isTold = await Promise.all(due.map((way) => tell(way, event, signal)));
    if (isTold.includes(false)) return rest.againMs;
    if (event === "contact_back") since = null;
    return rest.lookMs;
  }

  async function tell(way: Way, event: News["event"], signal: AbortSignal): Promise<boolean> {
    try {
      await way.send(newsOf(event), signal);
      way.told = event;
      log.info({ event, by: way.name }, "notified operators about the connection to the control plane");
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      log.warn({ event, by: way.name, reason: reasonOf(error) }, "could not notify operators about the connection to the control plane");
      return false;
    }
  }

  function newsOf(event: News["event"]): News {
    const who = about();
    const lostSince = since ?? new Date(clock.wallMs()).toISOString();
    const reason = event === "contact_lost" ? contact.trouble() : null;
    const name = `Outpost agent ${who.agent}${who.location === null ? "" : ` of ${who.location}`}`;
    const text =
      event === "contact_lost"
        ? `${name} has had no contact with the control plane since ${lostSince}${reason === null ? "" : `: ${reason}`}`
        : `${name} has contact with the control plane again; it had none since ${lostSince}`;
    return { event, ...who, since: lostSince, reason, text };
  }

  return loop("contact alarm", turn, (error) => {
    log.error({ reason: reasonOf(error) }, "the contact alarm failed; retrying");
    return rest.againMs;
  });
}

/** Nobody was told of a loss yet. */
function wayOf(name: Way["name"], send: Way["send"]): Way {
  return { name, send, told: "contact_back" };
}

/** @throws {AppError} */
async function post(address: Secret, client: ContactAlarmDeps["client"], news: News, signal: AbortSignal): Promise<void> {
  const target = new URL(address.reveal());
  const http = client(new URL(target.origin));
  try {
    const body = JSON.stringify(news);
    const headers = { "content-type": "application/json" };
    const path = `${target.pathname}${target.search}`;
    const { status } = await http.send({ method: "POST", path, headers, body, limitMs: webhookLimitMs }, signal);
    if (status < 200 || status > 299) throw new AppError("unavailable", `the webhook answered ${status}`);
  } finally {
    await http.close();
  }
}

/** Without a shell, and without what the agent has in its environment. @throws {AppError} unavailable */
async function run(command: string, { event, agent, location, since, text }: News, signal: AbortSignal): Promise<void> {
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    OUTPOST_EVENT: event,
    OUTPOST_AGENT: agent,
    OUTPOST_LOCATION: location ?? "",
    OUTPOST_SINCE: since,
    OUTPOST_TEXT: text,
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(commandLimitMs)]);
  try {
    const child = spawn(command, [event], { env, stdio: "ignore", signal: limit, killSignal: "SIGKILL" });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new AppError("unavailable", `the command ended with ${code ?? "a signal"}`);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const why = limit.aborted ? `took longer than ${commandLimitMs / 1_000} s` : `cannot be started (${codeOf(cause)})`;
    throw new AppError("unavailable", `the command ${why}`, { cause });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

/** Without the address, which may hold a token. */
function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.message : codeOf(error);
}
