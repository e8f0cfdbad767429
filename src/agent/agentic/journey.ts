import { type AgenticStep, longestOutput } from "#contract/checks/agentic.ts";
import type { PlaywrightLogLine } from "#contract/checks/playwright-run.ts";
import type { Evidence } from "#domain/agentic/evidence.ts";
import type { Answer, LedTree } from "../playwright/led-tree.ts";
import type { ToolName } from "./tools.ts";

type Input = Readonly<Record<string, unknown>>;

/** What a tool was asked, and what it answered, without secrets. */
export interface Exchange {
  readonly tool: ToolName;
  readonly input: Input;
  readonly text: string;
  readonly ok: boolean;
}

/** What waits for the answers of steps, and for what is shown at their end. */
export interface LinedUp {
  readonly steps: readonly (() => Promise<Answer>)[];
  readonly end: () => Promise<Answer>;
}

/** What does not change anything, or shows the same again: no step of a plan. */
const unplanned: ReadonlySet<ToolName> = new Set(["browser_look", "browser_screenshot"]);
const mostSteps = 500;

/** One run as it goes on: what was done, in order, and what may count as evidence. */
export class Journey {
  readonly steps: AgenticStep[] = [];
  readonly exchanges: Exchange[] = [];
  readonly log: PlaywrightLogLine[] = [];
  readonly #seen: string[] = [];
  readonly #errors: string[] = [];
  readonly #typed: string[] = [];
  readonly #tree: LedTree;
  readonly #mask: (text: string) => string;
  readonly #wallMs: () => number;

  /** @param mask takes out what must not leave: nothing of this class but `exchanges[].input` is without it */
  constructor(tree: LedTree, mask: (text: string) => string, wallMs: () => number) {
    this.#tree = tree;
    this.#mask = mask;
    this.#wallMs = wallMs;
  }

  get evidence(): Evidence {
    return { seen: this.#seen, errors: this.#errors, typed: this.#typed };
  }

  /** The steps that a later run can do again. */
  get plan(): readonly { readonly tool: ToolName; readonly input: Input }[] {
    return this.exchanges.filter(({ tool, ok }) => ok && !unplanned.has(tool)).map(({ tool, input }) => ({ tool, input }));
  }

  /** Carries out a call, and keeps what came of it. @param answered of one that was lined up before @throws {AppError} where the browser ended */
  async act(tool: ToolName, input: Input, answered = (): Promise<Answer> => this.#tree.ask({ tool, input })): Promise<Exchange> {
    this.#typed.push(...typedIn(tool, input));
    this.#step("tool_call", tool, input, "");
    const answer = await answered();
    const refused = this.#refusal(input);
    const ok = answer.ok && refused === null;
    const text = this.#mask(refused ?? answer.text).slice(0, longestOutput);
    (ok ? this.#seen : this.#errors).push(text);
    this.#step("tool_result", tool, {}, text);
    const exchange = { tool, input, text, ok };
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Looks again where something may still come, and keeps only what is new. */
  async glance(answered = (): Promise<Answer> => this.#tree.ask({ tool: "browser_look", input: {} })): Promise<void> {
    const { ok, text } = await answered();
    const shown = this.#mask(text).slice(0, longestOutput);
    if (ok && this.#seen.at(-1) !== shown) this.#seen.push(shown);
  }

  /** Begins steps of an earlier run, and then to look until quotations are shown. @returns what waits for each; `act` and `glance` take it */
  async lineUp(steps: readonly { readonly tool: ToolName; readonly input: Input }[], quotes: readonly string[]): Promise<LinedUp> {
    const orders = steps.map(({ tool, input }) => ({ tool, input, isKnown: true }));
    const answers = await this.#tree.lineUp([...orders, { tool: "expect", input: { quotes }, isKnown: true }]);
    return { steps: answers.slice(0, -1), end: answers.at(-1) ?? (() => this.#tree.ask({ tool: "browser_look", input: {} })) };
  }

  /** A call that is not carried out. */
  refuse(tool: string, input: Input, why: string): string {
    const text = this.#mask(`error: ${why}`).slice(0, longestOutput);
    this.#step("tool_call", tool.slice(0, 200), input, "");
    this.#step("tool_result", tool.slice(0, 200), {}, text);
    return text;
  }

  say(text: string): void {
    this.#step("message", "", {}, this.#mask(text).slice(0, longestOutput));
  }

  /** For the log of the run. */
  tell(level: PlaywrightLogLine["level"], msg: string): void {
    if (this.log.length < mostSteps) this.log.push({ time: this.#wallMs(), level, msg: this.#mask(msg).slice(0, 10_000) });
  }

  /** A proxy's refusal is a page of its own, or an error that says little. */
  #refusal({ url }: Input): string | null {
    const host = typeof url === "string" ? URL.parse(url)?.hostname.replace(/^\[|\]$/g, "") : undefined;
    const refused = this.#tree.refusals.find((one) => one.host !== "" && one.host.replace(/^\[|\]$/g, "") === host);
    return refused === undefined ? null : `error: EPOLICY ${refused.host} is not allowed by this agent's egress policy`;
  }

  #step(type: AgenticStep["type"], name: string, input: Input, output: string): void {
    if (this.steps.length >= mostSteps) return;
    const timestamp = new Date(this.#wallMs()).toISOString();
    this.steps.push({ type, name, input: { ...input }, output, timestamp, sequenceNumber: this.steps.length });
  }
}

/** What a page may show again because the run wrote it. */
function typedIn(tool: ToolName, input: Input): readonly string[] {
  const texts = (["value", "body", "url", "option"] as const).flatMap((name) => {
    const value = input[name];
    return typeof value === "string" ? [value] : [];
  });
  const headers = tool === "http_request" && typeof input["headers"] === "object" ? Object.values(input["headers"] ?? {}).map(String) : [];
  return [...texts, ...headers].flatMap((text) => [text, decoded(text)]).filter((text) => text !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
