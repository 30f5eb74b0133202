import type { Container, PodSpec } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";

/** What checks look at. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string | undefined>>;
  readonly spec: Decoded<PodSpec>;
  /** Init containers first, ephemeral ones last. */
  readonly containers: readonly CheckedContainer[];
}

/** Of a container all that matters; ephemeral ones have it too. */
export type CheckedContainer = Pick<
  Decoded<Container>,
  "lifecycle" | "livenessProbe" | "name" | "ports" | "readinessProbe" | "securityContext" | "startupProbe"
>;

/** What a pod may not do. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Looks at one thing. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined;

/** A rule of a level, as it was from a minor version on. */
export interface Check {
  readonly id: string;
  readonly level: "baseline" | "restricted";
  /** The baseline check that it makes needless. */
  readonly overrides?: string;
  /** Minor versions of Kubernetes, in their order: how it is checked from there on. */
  readonly versions: readonly (readonly [minor: number, check: CheckPod])[];
}
