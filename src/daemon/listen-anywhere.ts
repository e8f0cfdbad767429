/** What a kernel without IPv6, or a container that may not use it, says to `::`. */
const withoutIPv6: readonly string[] = ["EAFNOSUPPORT", "EADDRNOTAVAIL", "EINVAL", "EPROTONOSUPPORT"];

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
