/** How far along an object is, whatever its kind. */
export type KstatusName = "Current" | "InProgress" | "Failed" | "Terminating" | "NotFound" | "Unknown";

/** How far along an object is, and why. */
export interface Kstatus {
  readonly status: KstatusName;
  /** Why it is in progress or failed, as one word; "" otherwise. */
  readonly reason: string;
  readonly message: string;
}

/** The object is as its specification asks. */
export function current(message: string): Kstatus {
  return { status: "Current", reason: "", message };
}

/** The object is on its way. */
export function inProgress(reason: string, message: string): Kstatus {
  return { status: "InProgress", reason, message };
}

/** The object will not get there by itself. */
export function failed(reason: string, message: string): Kstatus {
  return { status: "Failed", reason, message };
}
