import type * as z from "zod";
import type { Kind, NamespacedMeta, ObjectMeta, Scope, StoredMeta } from "@kedge/machinery";

/** All that is said of a kind, in one place. */
export interface KindDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  /** Groups of kinds that `kubectl get` knows by one word, such as `all`. */
  readonly categories?: readonly string[];
  readonly scope: Scope;
  /** What an object of this kind is, in a sentence: for `kubectl explain`. */
  readonly description: string;
  /** Limits of `metadata.name` beyond those of every name: children are named after it. */
  readonly name?: z.ZodString;
  readonly spec: z.ZodObject;
  /** Written by the controller alone, through the subresource `status`. */
  readonly status: z.ZodObject;
  /** What `kubectl get` prints between NAME and AGE. */
  readonly printColumns?: readonly PrintColumn[];
  /** Makes `kubectl scale` and autoscalers work. */
  readonly scale?: ScaleDefinition;
}

/** A column of `kubectl get`. */
export interface PrintColumn {
  /** In capitals when printed; without spaces. */
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** `.status.phase` */
  readonly jsonPath: string;
  readonly description?: string;
  /** 0, the default: always; more: only with `-o wide`. */
  readonly priority?: number;
}

/** Where the subresource `scale` finds its numbers: paths such as `.spec.replicas`. */
export interface ScaleDefinition {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A custom object as the server answers it: defaults are filled in. */
export interface CustomObject<Spec, Status, S extends Scope> {
  apiVersion: string;
  kind: string;
  metadata: S extends "Namespaced" ? NamespacedMeta : StoredMeta;
  spec: Spec;
  status?: Status | undefined;
}

/** The names of the subresources that a definition gives. */
export type SubresourcesIn<D> = D extends { readonly scale: ScaleDefinition } ? "scale" | "status" : "status";

/** A kind that was defined here: a client descriptor, with its definition beside it. */
export interface DefinedKind<D extends KindDefinition = KindDefinition> extends Kind<
  CustomObject<z.output<D["spec"]>, z.output<D["status"]>, D["scope"]>,
  D["scope"],
  SubresourcesIn<D>
> {
  readonly definition: D;
}

/** An object as a user writes it: what has a default may be left out. */
export type InputOf<K> = K extends { readonly definition: infer D extends KindDefinition }
  ? {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly metadata: ObjectMeta;
      readonly spec: z.input<D["spec"]>;
      readonly status?: z.input<D["status"]>;
    }
  : never;
