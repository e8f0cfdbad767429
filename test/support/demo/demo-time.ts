/** When it is in the demo: a Tuesday in the morning. */
export const demoNowMs = Date.UTC(2026, 8, 15, 9, 42);

/** Makes something over the API. @throws for every answer that is no success */
export type Post = (path: string, body: object) => Promise<{ readonly id: string; readonly [field: string]: unknown }>;
