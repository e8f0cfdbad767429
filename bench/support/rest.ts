export type Rest = (method: "GET" | "POST" | "PUT", path: string, body?: unknown) => Promise<unknown>;

/** Asks a control plane as users do. */
export function restOf(url: string, apiKey: string): Rest {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
}
