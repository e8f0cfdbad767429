import { getTestSession } from "#contract/test-sessions.ts";
import type { Service } from "#daemon/service.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { Authenticate } from "../http/authenticate.ts";
import type { AccountCaller } from "../http/handler.ts";
import type { CountRequest } from "../http/rate-limit.ts";
import type { SocketRequest, SocketRoute } from "../http/socket-routes.ts";
import { type Client, MqttConnection } from "./mqtt-connection.ts";
import { maxPacketBytes } from "./packet-reader.ts";
import { ResultFeed, type ResultFeedDeps } from "./result-feed.ts";

export interface LiveResultsDeps extends ResultFeedDeps {
  readonly authenticate: Authenticate;
  /** Counts keys that nobody issued. */
  readonly countRequest: CountRequest;
  /** Lower-case names of headers that may carry the account id. */
  readonly accountHeaders: readonly string[];
  readonly monotonicMs: () => number;
}

/** Connections whose client has said who he is, of one account in this process. */
const mostOfAccount = 200;

/** Results of test sessions as they come, over MQTT, for whoever has a key that may read them. */
export function createLiveResults(deps: LiveResultsDeps): { readonly service: Service; readonly route: SocketRoute } {
  const feed = new ResultFeed(deps);
  const open = new Map<number, number>();

  /** A client names its account and its key as user and password; both are looked at as the headers of a request are. */
  async function identify(request: SocketRequest, username: string, password: string): Promise<AccountCaller> {
    const headers = { authorization: `Bearer ${password}`, ...(username !== "" && { [deps.accountHeaders[0] ?? ""]: username }) };
    try {
      return (await deps.authenticate(getTestSession, { ...request, headers })) as AccountCaller; // its access is "read"
    } catch (error) {
      if (hasCode(error, "unauthorized")) deps.countRequest("wrong-keys", request.ip);
      throw error;
    }
  }

  async function admit(request: SocketRequest, username: string, password: string): Promise<Client> {
    const { account } = await identify(request, username, password);
    const connections = (open.get(account.id) ?? 0) + 1;
    if (connections > mostOfAccount) throw new AppError("rate_limited", `The account has ${mostOfAccount} connections open`);
    open.set(account.id, connections);
    return {
      accountId: account.id,
      accountUuid: account.uuid,
      check: async () => void (await identify(request, username, password)),
      leave() {
        const left = (open.get(account.id) ?? 1) - 1;
        if (left === 0) open.delete(account.id);
        else open.set(account.id, left);
      },
    };
  }

  return {
    service: feed,
    route: {
      path: "/mqtt",
      protocol: "mqtt",
      maxMessageBytes: maxPacketBytes,
      open: (socket, request) =>
        new MqttConnection(socket, {
          ...deps,
          admit: (username, password) => admit(request, username, password),
          follow: (accountId, suite, tell) => feed.follow(accountId, suite, tell),
        }),
    },
  };
}
