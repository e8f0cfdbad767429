/** Of pictures in base64: those of some thirty checks. */
const mostCharacters = 32 * 1024 * 1024;

/** Pictures that were fetched, for later runs of their checks: what was used longest ago goes first. */
export class PictureCache {
  readonly #pictures = new Map<string, string>();
  readonly #most: number;
  #characters = 0;

  constructor(most = mostCharacters) {
    this.#most = most;
  }

  /** @param key of a picture that never changes */
  async get(key: string, fetch: () => Promise<string>): Promise<string> {
    const picture = this.#take(key) ?? (await fetch());
    this.#take(key); // another run may have fetched it meanwhile
    this.#pictures.set(key, picture);
    this.#characters += picture.length;
    for (const oldest of this.#pictures.keys()) {
      if (this.#characters <= this.#most) break;
      this.#take(oldest);
    }
    return picture;
  }

  #take(key: string): string | undefined {
    const picture = this.#pictures.get(key);
    if (this.#pictures.delete(key)) this.#characters -= picture?.length ?? 0;
    return picture;
  }
}
