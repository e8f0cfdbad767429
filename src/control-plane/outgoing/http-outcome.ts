import type { DeliveryOutcome } from "#domain/alerting/delivery-plan.ts";
import { oneLine } from "#domain/alerting/plain-text.ts";
import { hasCode } from "#domain/app-error.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import type { ChannelHttp, HttpAnswer, HttpCall } from "./http-client.ts";

export interface HttpDelivery {
  readonly call: HttpCall;
  /** What must not come back in the log: keys, and the parts of an address that are such. */
  readonly secrets: readonly string[];
  /** Behaviour 2.7 has webhooks repeated on every status from 400; elsewhere a 4xx is an answer for good, but for those that ask to come again. */
  readonly repeatsAll4xx?: boolean;
  /** The address is a user's: of what it answers only the status is told, so that nobody reads by it what lies behind it. */
  readonly hidesAnswer?: boolean;
  /** For services that answer 200 to what they did not take: what it says of itself. */
  readonly judge?: (answer: HttpAnswer) => DeliveryOutcome | null;
}

const comeAgain = new Set([408, 425, 429]);
const maxStatus = 500;

/** Sends one request and says what came of it, for the log: the status and the beginning of the answer. */
export async function deliverByHttp(
  http: ChannelHttp,
  { call, secrets, repeatsAll4xx = false, hidesAnswer = false, judge = () => null }: HttpDelivery,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const scrubber = createScrubber([...secrets]);
  const sayable = (text: string): string => oneLine(scrubber.scrubText(text), maxStatus);
  const outcome = await attempt();
  return { ...outcome, status: sayable(outcome.status) };

  async function attempt(): Promise<DeliveryOutcome> {
    let answer: HttpAnswer;
    try {
      answer = await http.send(call, signal);
    } catch (error) {
      signal.throwIfAborted();
      return failureOf(error);
    }
    return judge(answer) ?? outcomeOf(hidesAnswer ? { ...answer, text: "" } : answer, repeatsAll4xx);
  }
}

/** Several requests of one message, one after another. The first that fails is what came of it: whatever is repeated changes nothing. */
export async function deliverAll<T>(calls: readonly T[], deliver: (call: T) => Promise<DeliveryOutcome>): Promise<DeliveryOutcome> {
  let last: DeliveryOutcome = { ok: true, status: "nothing to send" };
  for (const call of calls) {
    const outcome = await deliver(call);
    if (!outcome.ok) return outcome;
    last = outcome;
  }
  return last;
}

function failureOf(error: unknown): DeliveryOutcome {
  const isRefused = hasCode(error, "forbidden");
  return { ok: false, status: error instanceof Error ? error.message : String(error), isRetryable: !isRefused, isReceiverDown: !isRefused };
}

function outcomeOf(answer: HttpAnswer, repeatsAll4xx: boolean): DeliveryOutcome {
  const { status: code } = answer;
  const status = `${code} ${answer.text}`.trimEnd();
  if (code >= 200 && code < 300) return { ok: true, status };
  if (code < 400) return { ok: false, status: `${code}: redirects are not followed`, isRetryable: false, isReceiverDown: false };
  const isRetryable = repeatsAll4xx || code >= 500 || comeAgain.has(code);
  return { ok: false, status, isRetryable, retryAfterMs: answer.retryAfterMs, isReceiverDown: code >= 500 || code === 429 };
}

/** What nobody can send: a bad address, a template that grows without end. */
export function permanentFailure(status: string): DeliveryOutcome {
  return { ok: false, status: oneLine(status, maxStatus), isRetryable: false, isReceiverDown: false };
}

/** The parts of an address that let whoever knows them use it; hosts are told. */
export function secretsOfUrl(url: URL): readonly string[] {
  const { username, password, pathname, search, hash } = url;
  const parts = [
    username,
    password,
    pathname.length > 1 ? `${pathname}${search}` : search,
    pathname.slice(1),
    search.slice(1),
    hash,
    ...url.searchParams.values(),
  ];
  return [...new Set([...parts, ...pathname.split("/").filter((part) => part.length >= 12)])].filter((part) => part.length >= 4);
}
