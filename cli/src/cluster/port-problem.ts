import { hasCode } from "@kedge/machinery";

/** The same error in words with a way out, when it says that somebody has taken the port since it was chosen. */
export function portProblem(error: unknown, port: number): unknown {
  if (!hasCode(error, "EADDRINUSE")) return error;
  return new Error(
    `port ${port} of 127.0.0.1 was free when this start looked, and another process has taken it since. ` +
      "Run `kedge up` again for a free one, or name one by `kedge up --port <port>`.",
    { cause: error },
  );
}
