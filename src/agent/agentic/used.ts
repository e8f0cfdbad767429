/** What one run has used of the model. */
export interface Used {
  answered: number;
  failed: number;
  tokens: { prompt: number; completion: number };
}

export function nothingUsed(): Used {
  return { answered: 0, failed: 0, tokens: { prompt: 0, completion: 0 } };
}
