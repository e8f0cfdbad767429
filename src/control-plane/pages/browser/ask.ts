/** What our server answers to a script. Undefined where there is no such answer: refused, led elsewhere, not reached, or broken off on its way. */
export async function ask<T>(address: string, request: RequestInit): Promise<T | undefined> {
  try {
    const answer = await fetch(address, request);
    return answer.ok && !answer.redirected ? ((await answer.json()) as T) : undefined; // as the server wrote it
  } catch {
    return undefined;
  }
}
