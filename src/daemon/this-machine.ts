/** Whether a URL's host names this machine by itself, so that nobody is on the way to it. */
export function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
