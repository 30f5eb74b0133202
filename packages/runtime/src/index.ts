export { createLogger, logLevels, type LoggerOptions, type LogLevel } from "./logging/create-logger.ts";
