import { silentLogger, type LogFields, type Logger } from "@kedge/machinery";

/** RuntimeManager on every line of a log, with the fields of its logger. */
export function traceLog(
  onLine: (message: string, fields: LogFields) => void,
  common: LogFields = {},
): Logger {
  const line = (message: string, fields: LogFields = {}): void => onLine(message, { ...common, ...fields });
  return {
    ...silentLogger,
    debug: line,
    info: line,
    warn: line,
    error: line,
    with: (fields) => traceLog(onLine, { ...common, ...fields }),
  };
}
