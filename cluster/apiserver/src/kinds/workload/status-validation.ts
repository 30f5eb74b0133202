import { fieldInvalid, fieldPath, isJsonObject, type FieldError } from "@kedge/machinery";
import type { StoredApiObject } from "../../registry/types.ts";
import { nonNegative } from "../validation/field-rules.ts";

/** How the counts in the status of a workload are named, in the order in which they are looked at. */
export interface StatusCounts {
  readonly counts: readonly string[];
  /** Those of which there cannot be more than replicas. */
  readonly ofReplicas: readonly string[];
  /** What is said of more available than ready ones. */
  readonly readyName: string;
}

/** What is wrong with the counts in the status of a workload. */
export function validateWorkloadStatus({ counts, ofReplicas, readyName }: StatusCounts) {
  return (object: StoredApiObject, previous: StoredApiObject): FieldError[] => {
    const path = fieldPath("status");
    const count = (name: string): number => countIn(object, name);
    const atMost = (name: string, most: number, what: string): FieldError[] =>
      count(name) > most
        ? [fieldInvalid(path.child(name), count(name), `cannot be greater than ${what}`)]
        : [];
    return [
      ...counts.flatMap((name) => nonNegative(count(name), path.child(name))),
      ...ofReplicas.flatMap((name) => atMost(name, count("replicas"), "status.replicas")),
      ...atMost("availableReplicas", count("readyReplicas"), readyName),
      ...(counts.includes("collisionCount") && isDecremented(object, previous)
        ? [fieldInvalid(path.child("collisionCount"), count("collisionCount"), "cannot be decremented")]
        : []),
    ];
  };
}

function countIn(object: StoredApiObject, name: string): number {
  const value = isJsonObject(object["status"]) ? object["status"][name] : undefined;
  return typeof value === "number" ? value : 0;
}

/** A count that was once there stays, and does not shrink. */
function isDecremented(object: StoredApiObject, previous: StoredApiObject): boolean {
  const [now, before] = [object, previous].map(({ status }) =>
    isJsonObject(status) ? status["collisionCount"] : undefined,
  );
  if (now === undefined) return before !== undefined;
  return countIn(object, "collisionCount") < countIn(previous, "collisionCount");
}
