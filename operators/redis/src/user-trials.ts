import { keyToString, type ObjectKey } from "@kedge/machinery";

/** What a user was to be able to do, and a server's words about it. */
export interface UserTrial {
  readonly user: string;
  readonly rules: string;
  readonly pod: string;
  /** What it runs: another version may know what this one does not. */
  readonly server: string;
  /** The server's own. */
  readonly words: string;
}

/** The users that servers have refused, for as long as this process lives: another one asks a server again. */
export class UserTrials {
  readonly #refused = new Map<string, readonly UserTrial[]>();

  of(instance: ObjectKey): readonly UserTrial[] {
    return this.#refused.get(keyToString(instance)) ?? [];
  }

  refuse(instance: ObjectKey, trial: UserTrial): void {
    const others = this.of(instance).filter(({ user }) => user !== trial.user);
    this.#refused.set(keyToString(instance), [...others, trial]);
  }

  /** The instance is gone. */
  forget(instance: ObjectKey): void {
    this.#refused.delete(keyToString(instance));
  }
}
