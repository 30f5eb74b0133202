/** Lines that come when they come: the body of a watch. */
export class LinePipe implements AsyncIterable<Uint8Array> {
  readonly #lines: Uint8Array[] = [];
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  push(line: unknown): void {
    this.#lines.push(Buffer.from(`${JSON.stringify(line)}\n`));
    this.#wake?.();
  }

  /** Ends the stream, with an error as a broken connection does. */
  end(error?: Error): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) yield line;
      if (this.#end?.error !== undefined) throw this.#end.error;
      if (this.#end !== undefined) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
