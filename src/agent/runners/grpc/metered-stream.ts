import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { FrameMeter } from "./frame-meter.ts";

/** A connection whose bytes are looked at before they are used. It ends, with the meter's error, when the meter throws. */
export class MeteredStream extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket, meter: FrameMeter) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => {
      if (this.destroyed) return;
      try {
        meter.push(bytes);
      } catch (error) {
        this.destroy(error as Error); // a ProbeError
        return;
      }
      if (!this.push(bytes)) socket.pause();
    });
    socket.on("end", () => this.push(null));
    socket.on("close", () => this.destroy());
    socket.on("error", (cause) => this.destroy(cause));
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
