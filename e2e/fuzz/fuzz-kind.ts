import type { JsonObject } from "../comparison/json.ts";
import type { Chooser } from "./chooser.ts";

/** A kind whose objects are made up. */
export interface FuzzKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Of its collection, in the namespace that all share. */
  readonly path: string;
  /** All of an object but its type and metadata. */
  readonly make: (choose: Chooser) => JsonObject;
  /** What its agents or controllers report. Undefined: its status is not written. */
  readonly status?: (choose: Chooser) => JsonObject;
  /** Whether it knows strategic merge patches; custom ones do not. */
  readonly strategic: boolean;
}

/** The namespace of what is made up. */
export const fuzzNamespace = "fuzz";
