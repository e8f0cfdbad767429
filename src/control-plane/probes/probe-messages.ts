/* What the main loop and the thread of the probes say to each other. Imports nothing, as the thread loads it. */

/** What is asked: of all that a probe sends, only this changes the answer. */
export interface ProbeQuestion {
  readonly path: string;
  /** The header; empty where there was none. */
  readonly authorization: string;
  readonly remoteAddress: string;
  /** What of that header changes an answer; absent where nothing does. */
  readonly accept?: string;
}

export interface ProbeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type ToProbes =
  | { readonly kind: "listen"; readonly host: string; readonly port: number }
  | { readonly kind: "answer"; readonly id: number; readonly answer: ProbeAnswer }
  | { readonly kind: "close" };

export type FromProbes =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "not-listening"; readonly code: string }
  | { readonly kind: "full"; readonly limit: "total" | "address"; readonly connections: number }
  | { readonly kind: "ask"; readonly id: number; readonly question: ProbeQuestion };
