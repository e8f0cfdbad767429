/** The parts of undici that channels load by path beside those of the agent; see `http-client.ts`. */
declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici";
  export default buildConnector;
}
