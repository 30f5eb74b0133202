import { StatusError, type Status } from "@kedge/machinery";

/** How a command ended. */
export interface CommandExit {
  /** 0 is success, as everywhere. */
  readonly code: number;
}

/** The `Status` that a text is, if it is one as a whole. When a command ends it comes without kind and apiVersion. */
export function statusIn(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isOutcome(value) ? { ...value, kind: "Status", apiVersion: "v1", metadata: {} } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads an exit from a command's status. Throws a `StatusError` when the command could not be run at all. */
export function exitOf(status: Status): CommandExit {
  if (status.status === "Success") return { code: 0 };
  const code = exitCode(status);
  if (code === undefined) throw new StatusError(status);
  return { code };
}

function isOutcome(
  value: unknown,
): value is Pick<Status, "status" | "reason" | "message" | "details" | "code"> {
  return (
    typeof value === "object" &&
    value !== null &&
    "status" in value &&
    (value.status === "Success" || value.status === "Failure")
  );
}

function exitCode(status: Status): number | undefined {
  if (status.reason !== "NonZeroExitCode") return undefined;
  const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode");
  return cause?.message !== undefined && /^\d+$/.test(cause.message) ? Number(cause.message) : undefined;
}
