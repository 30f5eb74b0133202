import { CodedError } from "@kedge/machinery";

const hints = {
  INVALID: "Correct the container's specification.",
  EXISTS: "Remove the container of this name first.",
  NOT_FOUND: "List the containers; it may have been removed.",
  NOT_RUNNING: "Start the container first; one that has ended cannot be used again.",
  CREATE_FAILED: "See that the command exists in the image, and that what it mounts exists on this machine.",
  START_FAILED: "Look at the container's log.",
  EXEC_FAILED: "See that the command exists in the container's image.",
  ATTACH_FAILED: "See that the container still runs.",
  CLOSED: "Open the runtime again.",
} as const;

/** What can go wrong with containers. */
export type ContainerErrorCode = keyof typeof hints;

/** The one error of container runtimes: a code to branch on, and a hint of what to do. */
export class ContainerError extends CodedError<ContainerErrorCode> {
  override readonly name = "ContainerError";

  constructor(code: ContainerErrorCode, message: string, options: ErrorOptions = {}) {
    super(code, message, { ...options, hint: hints[code] });
  }
}
