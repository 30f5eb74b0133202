import { isJsonObject } from "@kedge/machinery";
import { namesOf } from "./names.ts";

/** Who is the primary, as the status of an instance says it. */
export interface Replication {
  readonly primary: string;
  readonly epoch: number | undefined;
  readonly since: string | undefined;
}

/** Reads it from an instance of any version: one that says nothing of it has its first pod as the primary. */
export function replicationOf(instance: {
  readonly metadata: { readonly name: string };
  readonly status?: unknown;
}): Replication {
  const { status } = instance;
  const found = isJsonObject(status) ? status["replication"] : undefined;
  const { primary, epoch, since } = isJsonObject(found) ? found : {};
  return {
    primary: typeof primary === "string" ? primary : namesOf(instance.metadata.name).primaryPod,
    epoch: typeof epoch === "number" ? epoch : undefined,
    since: typeof since === "string" ? since : undefined,
  };
}
