/** A pod asks for something that cannot be given to it: a missing object, a wrong value. Shown in its status. */
export class ConfigError extends Error {
  /** The waiting reason of the container. */
  readonly reason: string;

  constructor(message: string, reason = "CreateContainerConfigError") {
    super(message);
    this.name = "ConfigError";
    this.reason = reason;
  }
}
