/** What a kernel without IPv6, or a container that may not use it, says to `::`. */
const withoutIPv6: readonly string[] = ["EAFNOSUPPORT", "EADDRNOTAVAIL", "EINVAL", "EPROTONOSUPPORT"];

export interface Listening {
  /** Of the variables that say where to listen. */
  readonly portName: string;
  readonly hostName: string;
  readonly port: number;
  readonly host: string;
}

/** What to do about an address that cannot be listened on, by the system's code. */
export function listenProblem({ portName, hostName, port, host }: Listening, code: string): string {
  if (code === "EADDRINUSE") return `${portName}: port ${port} of ${host} is taken by another program; stop it or choose another port`;
  if (code === "EACCES") return `${portName}: this user may not listen on port ${port}; choose one above 1023`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `${hostName}: ${host} is not an address of this machine`;
  if (code === "EAFNOSUPPORT") return `${hostName}: ${host} is IPv6, which this machine or container does not have; set 0.0.0.0`;
  return `Cannot listen on ${host}:${port} (${portName}, ${hostName}): ${code}`;
}

/** Listens on `host`. `::`, which serves IPv4 too, becomes 0.0.0.0 where there is no IPv6; `onIPv4` is told. */
export async function listenAnywhere(
  host: string,
  listen: (host: string) => Promise<unknown>,
  onIPv4: (code: string) => void,
): Promise<void> {
  try {
    await listen(host);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (host !== "::" || !withoutIPv6.includes(code)) throw error;
    onIPv4(code);
    await listen("0.0.0.0");
  }
}
