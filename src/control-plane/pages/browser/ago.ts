/** Lets `3 min ago` go on while the page is open. */
export function tickAgo(): void {
  tellAll();
  setInterval(tellAll, 1_000);
}

function tellAll(): void {
  if (document.hidden) return;
  const now = Date.now();
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-shows="ago"]')) {
    const at = Date.parse(element.dateTime);
    const text = now - at < 1_000 ? "just now" : `${lengthText(now - at)} ago`;
    if (element.textContent !== text) element.textContent = text;
  }
}

/** In the two largest units, as pages tell lengths; below a minute in seconds. */
function lengthText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60), minutes % 60];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return rest > 0 ? `${hours} h ${rest} min` : `${hours} h`;
  return `${rest} min`;
}
