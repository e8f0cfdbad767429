"use strict";
/*
 * Servers of a run listen nowhere: the kernel refuses it. A server here keeps a connection to the run's proxy, which tells it of each that
 * somebody of the run wants, and comes for it with another one (`egress/own-ports.ts`). Below `net`, so that every package has ordinary servers.
 */
const net = require("node:net");
const { constants } = require("node:os");

const anyPort = 1; // 0 is no port of a target
const { listen } = net.Server.prototype;

module.exports = function holdPorts(openWay) {
  net.Server.prototype.listen = function listenWithin(...args) {
    const [options, callback] = net._normalizeArgs(args);
    if (this._handle || !isPort(args[0], options)) return Reflect.apply(listen, this, args); // which says what is wrong
    if (callback !== null) this.once("listening", callback);
    begin(this, Number(options.port ?? 0), `${options.host ?? ""}`, openWay);
    return this;
  };
};

/** Whether a server is to listen on a port, not at a path or by what another one has open. */
function isPort(first, { port, path, fd }) {
  if (fd !== undefined || first?._handle || first?.fd !== undefined) return false;
  const number = Number(port ?? 0);
  return (port !== undefined || path === undefined) && Number.isInteger(number) && number >= 0 && number <= 65_535;
}

function begin(server, port, host, openWay) {
  const handle = new Handle(server, host);
  server._handle = handle;
  openWay(asked(port === 0 ? anyPort : port, "listen"), (problem, fd, head) => {
    if (server._handle !== handle) return void (problem === null && new net.Socket({ fd }).destroy());
    if (problem !== null) {
      server._handle = null;
      return void server.emit("error", listenError(problem, port, host));
    }
    handle.open(fd, Number(/x-outpost-peer: [^\s]*:(\d+)/.exec(head)?.[1] ?? port), openWay);
    server.emit("listening");
  });
}

function asked(port, wish) {
  return `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Outpost-Own: ${wish}\r\n`;
}

/** As far as `net.Server` asks the kernel's. */
class Handle {
  fd = -1;
  #server;
  #host;
  #port = 0;
  #control = null;
  #isLight = false;

  constructor(server, host) {
    this.#server = server;
    this.#host = host;
  }

  open(fd, port, openWay) {
    this.#port = port;
    this.#control = new net.Socket({ fd });
    if (this.#isLight) this.#control.unref();
    let rest = "";
    this.#control
      .on("error", () => {}) // the run is over
      .on("data", (bytes) => {
        const ids = `${rest}${bytes.toString("latin1")}`.split("\n");
        rest = ids.pop();
        for (const id of ids) this.#take(id, openWay);
      });
  }

  #take(id, openWay) {
    openWay(asked(this.#port, id), (problem, fd) => {
      if (problem !== null) return; // whoever wanted it has left
      const server = this.#server;
      const { allowHalfOpen, pauseOnConnect: isPaused, maxConnections } = server;
      const socket = new net.Socket({ fd, allowHalfOpen, pauseOnCreate: isPaused, readable: true, writable: true });
      if (server._handle !== this || (maxConnections && server._connections >= maxConnections)) return void socket.destroy();
      server._connections += 1;
      socket.server = server;
      socket._server = server;
      server.emit("connection", socket);
      if (!isPaused && socket.readable && !socket.readableFlowing) socket.read(0);
    });
  }

  getsockname(out) {
    const isSix = this.#host.includes(":");
    return void Object.assign(out, {
      address: isSix ? this.#host : /^\d/.test(this.#host) ? this.#host : "127.0.0.1",
      family: isSix ? "IPv6" : "IPv4",
      port: this.#port,
    });
  }

  close(done) {
    this.#control?.destroy();
    if (done !== undefined) setImmediate(() => done());
  }

  ref() {
    this.#isLight = false;
    this.#control?.ref();
  }

  unref() {
    this.#isLight = true;
    this.#control?.unref();
  }

  hasRef() {
    return !this.#isLight;
  }
}

function listenError({ code, message }, port, host) {
  const errno = constants.errno[code];
  return Object.assign(new Error(`listen ${code}: ${message} ${host}:${port}`), {
    code,
    ...(errno === undefined ? {} : { errno: -errno }),
    syscall: "listen",
    address: host,
    port,
  });
}
