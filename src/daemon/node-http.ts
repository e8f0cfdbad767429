import type * as http from "node:http";

/**
 * `node:http` without its ES module face: an import by name evaluates every export, and behind some of them stands a
 * whole WebSocket client. It costs 6 MB that a light agent never uses (Node.js 26.10).
 */
export const nodeHttp: typeof http = process.getBuiltinModule("node:http");
