import { keyToString, type ObjectKey } from "@kedge/machinery";

/** A config that a server has refused. */
export interface ConfigTrial {
  /** Of the redis.conf that was wanted. */
  readonly hash: string;
  readonly pod: string;
  /** The server's own. */
  readonly words: string;
  /** The directives that were to be changed: some servers may have taken them. */
  readonly names: readonly string[];
}

/** The last refusal of each instance, for as long as this process lives: another one asks the server again. */
export class ConfigTrials {
  readonly #refused = new Map<string, ConfigTrial>();

  of(instance: ObjectKey): ConfigTrial | undefined {
    return this.#refused.get(keyToString(instance));
  }

  refuse(instance: ObjectKey, trial: ConfigTrial): void {
    this.#refused.set(keyToString(instance), trial);
  }

  /** The instance is gone. */
  forget(instance: ObjectKey): void {
    this.#refused.delete(keyToString(instance));
  }
}
