import type { OnReadOpts, Socket } from "node:net";
import { TLSSocket } from "node:tls";

/**
 * One memory for every read of every plain connection: the event loop fills it and calls us in one go, so what came is
 * to be used at once. Without it each read allocates 64 KB, and a stream passes on what 600 bytes of it hold.
 */
const readMemory = Buffer.allocUnsafeSlow(64 * 1024);

/** Where the bytes of a connection go. Made before it is dialled; of use for one reader. */
export class Inbox {
  #onBytes: ((bytes: Buffer) => void) | undefined;

  /** For node:net, when it makes the socket. */
  readonly onread: OnReadOpts = {
    buffer: readMemory,
    callback: (length) => {
      this.#onBytes?.(readMemory.subarray(0, length));
      return true;
    },
  };

  /** From now on calls `onBytes` with what comes over `socket`, TLS or not; the bytes are valid during the call only. */
  open(socket: Socket, onBytes: (bytes: Buffer) => void): void {
    if (socket instanceof TLSSocket) socket.on("data", onBytes);
    else this.#onBytes = onBytes;
  }
}
