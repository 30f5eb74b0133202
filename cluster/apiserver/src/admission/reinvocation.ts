/**
 * What happens when plug-ins come after others that would have done something else had they seen what these made of the
 * object: the mutating half is asked once more, if one of them wants it.
 */
export class Reinvocation {
  /** Whether this is the second time. */
  isSecond = false;
  /** Whether the object was changed by somebody who is not part of the server. */
  isWanted = false;
  readonly #memory = new Map<string, Invoked>();

  /** What a plug-in remembers of the first time. */
  memoryOf(plugin: string): Invoked {
    const known = this.#memory.get(plugin);
    if (known !== undefined) return known;
    const made = new Invoked();
    this.#memory.set(plugin, made);
    return made;
  }
}

/** Which hooks of a plug-in were asked, and which of them have to be asked again. */
export class Invoked {
  /** What the plug-in left the object as, as JSON. */
  output: string | undefined;
  #invoked = new Set<string>();
  readonly #again = new Set<string>();

  get hasInvoked(): boolean {
    return this.#invoked.size > 0;
  }

  /** A hook that wants to be asked again has been asked. */
  add(hook: string): void {
    this.#invoked.add(hook);
  }

  /** The object was changed after these were asked. */
  requireAgain(): void {
    for (const hook of this.#invoked) this.#again.add(hook);
    this.#invoked = new Set();
  }

  isRequired(hook: string): boolean {
    return this.#again.has(hook);
  }
}
