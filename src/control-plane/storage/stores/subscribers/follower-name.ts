/** An address follows a page once, in whatever case it is written. */
export function nameOf(pageId: number, address: string): string {
  return `${pageId}:${address.toLowerCase()}`;
}
