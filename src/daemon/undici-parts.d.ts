/** The parts of undici that are loaded by path, because its index also loads fetch, WebSocket, caches and mocks: 7 MB that nothing here uses. */
declare module "undici/lib/dispatcher/agent.js" {
  import { Agent } from "undici";
  export default Agent;
}

declare module "undici/lib/dispatcher/proxy-agent.js" {
  import { ProxyAgent } from "undici";
  export default ProxyAgent;
}

declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";
  export default Pool;
}

declare module "undici/lib/api/api-connect.js" {
  import type { Dispatcher } from "undici";
  /** What undici's index makes `Dispatcher.prototype.connect`. */
  export default function connect(this: Dispatcher, options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
}

declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici";
  /** What undici's index makes `Dispatcher.prototype.request`. */
  export default function request(this: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
}

declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici";
  export default buildConnector;
}
