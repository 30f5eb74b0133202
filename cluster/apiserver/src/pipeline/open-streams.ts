import { tooManyRequests } from "@kedge/machinery";

/** So many exec, attach and port-forward streams may each user have: each is a process, or sockets, on a node. */
const mostOfUser = 200;

/** Counts the streams that users have open. */
export class OpenStreams {
  readonly #ofUser = new Map<string, number>();
  readonly #most: number;

  constructor(most = mostOfUser) {
    this.#most = most;
  }

  /** Counts one until its socket has closed. Throws a 429. */
  add(user: string, closed: AbortSignal): void {
    const count = this.#ofUser.get(user) ?? 0;
    if (count >= this.#most)
      throw tooManyRequests(`user ${JSON.stringify(user)} has ${count} streams open; close some of them`, 1);
    if (closed.aborted) return;
    this.#ofUser.set(user, count + 1);
    closed.addEventListener("abort", () => this.#remove(user), { once: true });
  }

  #remove(user: string): void {
    const left = (this.#ofUser.get(user) ?? 0) - 1;
    if (left > 0) this.#ofUser.set(user, left);
    else this.#ofUser.delete(user);
  }
}
