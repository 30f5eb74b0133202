/** What a log line says beside its message: small values, never whole objects, never secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured logging, whoever writes it down. Messages are constant texts ("Retrying the API call"); what varies is
 * in the fields.
 */
export interface Logger {
  /** For whoever looks for a fault. */
  debug(message: string, fields?: LogFields): void;
  /** What an operator of the system wants to know. */
  info(message: string, fields?: LogFields): void;
  /** Not as it should be, but handled. */
  warn(message: string, fields?: LogFields): void;
  /** Failed; `fields.error` is what was thrown. */
  error(message: string, fields?: LogFields): void;
  /** A logger whose every line has these fields too. */
  with(fields: LogFields): Logger;
}

/** Writes nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLogger,
};
