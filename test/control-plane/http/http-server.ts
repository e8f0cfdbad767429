import { pino } from "pino";
import type { Authenticate } from "../../../src/control-plane/http/authenticate.ts";
import type { Handler } from "../../../src/control-plane/http/handler.ts";
import type { LiveRoute } from "../../../src/control-plane/http/live-routes.ts";
import type { PageRoute } from "../../../src/control-plane/http/page-routes.ts";
import { createRateLimiter, type RateLimit } from "../../../src/control-plane/http/rate-limit.ts";
import { createHttpServer, type HttpServer } from "../../../src/control-plane/http/server.ts";
import type { NewAuditEntry } from "../../../src/control-plane/storage/storage.ts";
import { type Answer, type Call, call } from "../call.ts";

export interface ServerUnderTest extends AsyncDisposable {
  readonly server: HttpServer;
  readonly base: string;
  readonly logLines: readonly string[];
  readonly call: (method: string, path: string, options?: Call) => Promise<Answer>;
}

/** Our HTTP server with handlers of the test's own, listening on a free loopback port. */
export async function httpServer(
  handlers: readonly Handler[],
  options: {
    readonly limits?: Readonly<Record<string, RateLimit>>;
    readonly authenticate?: Authenticate;
    readonly pages?: readonly PageRoute[];
    readonly live?: readonly LiveRoute[];
    readonly onSlowViewer?: () => void;
    readonly audit?: (entry: NewAuditEntry) => Promise<void>;
  } = {},
): Promise<ServerUnderTest> {
  const logLines: string[] = [];
  const server = createHttpServer({
    tls: null,
    trustedProxies: [],
    publicUrl: null,
    host: "127.0.0.1",
    port: 0,
    handlers,
    pages: options.pages ?? [],
    live: options.live ?? [],
    onSlowViewer: options.onSlowViewer ?? (() => undefined),
    authenticate: options.authenticate ?? (async () => undefined),
    countRequest: createRateLimiter(options.limits ?? {}, Date.now),
    observe: () => undefined,
    audit: options.audit ?? (async () => undefined),
    nowMs: Date.now,
    agentCpuPercent: 50,
    bodyBytes: 64 * 1_048_576,
    connections: { total: 1_000, address: 1_000 },
    log: pino(
      { level: "debug" },
      {
        write: (line: string) => {
          logLines.push(line);
        },
      },
    ),
    accessLog: null,
    validateResponses: true,
    onDrain: () => undefined,
  });
  await server.start();
  const base = `http://127.0.0.1:${server.address()?.port ?? 0}`;
  return {
    server,
    base,
    logLines,
    call: (method, path, callOptions) => call(base, method, path, callOptions),
    [Symbol.asyncDispose]: () => server.stop(AbortSignal.timeout(2_000)),
  };
}
