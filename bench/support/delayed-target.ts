import { createServer } from "node:net";

/**
 * A target that answers each request after a fixed time, measured from the request's arrival. Node.js timers are
 * whole milliseconds and late; so the last stretch is watched from turn to turn, and the answer leaves within
 * some 20 microseconds of its time unless the machine is busy. `node delayed-target.ts <port> <delay ms>`
 */
const [port = "0", delay = "50"] = process.argv.slice(2);
const answer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\nconnection: close\r\n\r\n{"status":"ok"}';
const waiting: { readonly at: number; readonly send: () => void }[] = [];
let watching = false;

createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => socket.destroy());
  socket.once("data", () => {
    waiting.push({ at: performance.now() + Number(delay), send: () => socket.end(answer) });
    if (!watching) watch();
  });
}).listen(Number(port), "127.0.0.1", 2048);

function watch(): void {
  watching = waiting.length > 0;
  const now = performance.now();
  while (waiting[0] !== undefined && waiting[0].at <= now) waiting.shift()?.send();
  const next = waiting[0];
  if (next === undefined) {
    watching = false;
  } else if (next.at - now > 2.5) {
    setTimeout(watch, Math.floor(next.at - now - 1.5));
  } else {
    setImmediate(watch);
  }
}
