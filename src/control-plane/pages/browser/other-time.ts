const leastMs = 60_000;

/** Goes to the same page for another time; what else the address says of it stays. */
export function moveTo(fromMs: number, toMs: number): void {
  const to = new URL(location.href);
  for (const name of ["range", "after", "started"]) to.searchParams.delete(name);
  to.searchParams.set("from", String(Math.floor(fromMs)));
  to.searchParams.set("to", String(Math.ceil(toMs < fromMs ? toMs : Math.max(toMs, fromMs + leastMs))));
  location.assign(to);
}
