/** One running export per project (decision D42): on one node others wait here, between nodes in the store. */
export class ExportTurns {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves when it is this caller's turn, with what ends the turn; ending it twice does no harm. */
  async take(projectId: string): Promise<() => void> {
    const before = this.#last.get(projectId);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(projectId, promise);
    await before;
    return () => {
      resolve();
      if (this.#last.get(projectId) === promise) this.#last.delete(projectId);
    };
  }
}
