import { newDialTrace } from "../../../src/agent/net/connection.ts";
import { dial } from "../../../src/agent/net/dial.ts";
import { codeOf } from "../../../src/agent/net/probe-error.ts";
import { StepWatch } from "../../../src/agent/net/step-watch.ts";
import { fixedResolver, openPolicy } from "../../support/run-context.ts";

export interface ChildDial {
  readonly host: string;
  readonly port: number;
  readonly ipFamily: "IPv4" | "IPv6";
  /** Addresses of the host by family, in the order to try them. */
  readonly addresses: Readonly<Record<4 | 6, readonly string[]>>;
}

/** What one dial in another network came to. */
export interface ChildOutcome {
  readonly code: string | null;
  readonly side: string | null;
  readonly address: string | null;
  readonly ipFamily: string | null;
  readonly connectMs: number | null;
}

const { host, port, ipFamily, addresses } = JSON.parse(process.argv[2] ?? "") as ChildDial;
const trace = newDialTrace();
const resolver = {
  resolve: (name: string, family: 4 | 6) => fixedResolver({ [host]: addresses[family] }).resolve(name, family, watch.signal),
};
const watch = new StepWatch(new AbortController().signal);
let failure: unknown = null;
try {
  const context = { resolver, egress: openPolicy, monotonicMs: () => performance.now(), watch };
  (await dial({ host, port, ipFamily, tls: null }, context, trace)).destroy();
} catch (error) {
  failure = error;
}
watch.close();
const outcome: ChildOutcome = {
  code: failure === null ? null : codeOf(failure),
  side: failure instanceof Error && "side" in failure ? String(failure.side) : null,
  address: trace.connection?.remoteAddress ?? null,
  ipFamily: trace.connection?.ipFamily ?? null,
  connectMs: trace.connectMs === null ? null : trace.connectMs - (trace.lookupMs ?? 0),
};
process.stdout.write(JSON.stringify(outcome));
