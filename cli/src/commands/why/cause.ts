import type { AnyObject } from "./situation.ts";

/** Why an object is not as it should be: as near to the root as it could be followed. */
export interface Cause {
  readonly about: Pick<AnyObject, "kind" | "metadata">;
  /** What is wrong with it: the rest of a sentence that begins with its name. */
  readonly says: string;
  /** What shows it. */
  readonly evidence?: readonly string[] | undefined;
  /** A command that would repair it, or what to do. */
  readonly fix?: string | undefined;
  /** A container whose last words may say more. */
  readonly log?: LogOfContainer | undefined;
}

/** Where last words are found. */
export interface LogOfContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Of the run before this one. */
  readonly previous: boolean;
}

/** `-n shop` where a command needs it. */
export function inNamespace({ metadata: { namespace } }: Pick<AnyObject, "metadata">): string {
  return namespace === undefined || namespace === "default" ? "" : ` -n ${namespace}`;
}

/** `pod/web-0`, as kubectl takes it. */
export function typed({ kind, metadata }: Pick<AnyObject, "kind" | "metadata">): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}
