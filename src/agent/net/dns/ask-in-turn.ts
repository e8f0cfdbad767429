import { ProbeError } from "../probe-error.ts";
import { askServer, type Reply } from "./ask.ts";
import type { Question } from "./message.ts";
import { type NameServer, serverName } from "./name-server.ts";
import type { AskContext } from "./udp-exchange.ts";

/** A server that did not help: nothing came from it, or a code that says that it cannot answer. */
export interface Tried {
  readonly server: NameServer;
  /** `SERVFAIL`, `ETIMEDOUT` … */
  readonly code: string;
  readonly message: string;
  /** Null when nothing came. */
  readonly reply: Reply | null;
}

export interface Turn {
  /** What a server said that could answer; null when none could. */
  readonly reply: Reply | null;
  /** In the order in which they were asked. */
  readonly tried: readonly Tried[];
}

export interface TurnLimits {
  /** For all servers together. */
  readonly limitMs: number;
  /** For one, while others follow. */
  readonly tryMs: number;
}

/** Codes by which a server says that another one may know (as glibc takes them). */
const passOnCodes: ReadonlySet<string> = new Set(["SERVFAIL", "REFUSED", "NOTIMP", "FORMERR"]);

/**
 * Asks one server after another until one can answer.
 * @throws {ProbeError} EBADNAME
 * @throws the signal's reason
 */
export async function askInTurn(
  servers: readonly NameServer[],
  question: Question,
  limits: TurnLimits,
  context: AskContext,
): Promise<Turn> {
  const tried: Tried[] = [];
  const endsAtMs = context.monotonicMs() + limits.limitMs;
  for (const [index, server] of servers.entries()) {
    const restMs = endsAtMs - context.monotonicMs();
    if (restMs < 1) break;
    const limitMs = index < servers.length - 1 ? Math.min(limits.tryMs, restMs) : restMs;
    const outcome = await outcomeOf(server, question, Math.ceil(limitMs), context);
    if (outcome.is === "reply") return { reply: outcome.reply, tried };
    tried.push(outcome.tried);
  }
  return { reply: null, tried };
}

type Outcome = { readonly is: "reply"; readonly reply: Reply } | { readonly is: "tried"; readonly tried: Tried };

async function outcomeOf(server: NameServer, question: Question, limitMs: number, context: AskContext): Promise<Outcome> {
  try {
    const reply = await askServer(server, question, limitMs, context);
    const { responseCode: code } = reply.message;
    if (!passOnCodes.has(code)) return { is: "reply", reply };
    return { is: "tried", tried: { server, code, message: `${serverName(server)} answered ${code}`, reply } };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ProbeError) || error.code === "EBADNAME") throw error;
    return { is: "tried", tried: { server, code: error.code, message: error.message, reply: null } };
  }
}
