import { isControlledBy, type DeepReadonly } from "@kedge/machinery";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import type { RedisInstance } from "./kind.ts";
import { nextIsOursKey, nextPasswordKey, passwordKey, rotateAnnotation } from "./names.ts";
import { passwordSource, whyUnusable } from "./password.ts";

/** What is to be done about the password of clients. */
export type RotationStep =
  | "none"
  /** The users' Secret has another one: servers are to accept it, too. */
  | "begin"
  /** Another one is to be made. */
  | "make"
  /** The users' Secret has the old one again. */
  | "cancel"
  /** Servers are told of the new one. */
  | "spreading";

/** What a rotation depends on. */
export interface RotationFacts {
  readonly instance: DeepReadonly<RedisInstance>;
  readonly authSecret: DeepReadonly<Secret> | undefined;
  readonly inUse: DeepReadonly<Secret> | undefined;
}

/** Compares, and hands on nothing but the result. */
export function rotationStep({ instance, authSecret, inUse }: RotationFacts): RotationStep {
  if (!instance.spec.auth.enabled || inUse === undefined || !isControlledBy(inUse, instance)) return "none";
  const { key, isGiven } = passwordSource(instance);
  const wished = authSecret?.data?.[key];
  const present = inUse.data?.[passwordKey];
  const next = inUse.data?.[nextPasswordKey];
  const isOurs = inUse.data?.[nextIsOursKey] !== undefined;
  if (authSecret === undefined) return next === undefined ? "none" : "spreading";
  if (whyUnusable(authSecret, key) !== undefined) return next === undefined || isOurs ? "none" : "cancel";
  if (next === undefined) {
    if (wished !== present) return "begin";
    const isMadeHere = !isGiven && isControlledBy(authSecret, instance);
    return isAsked(instance, "client") && isMadeHere ? "make" : "none";
  }
  // Into the user's own Secret nothing is written that was made here.
  if (wished === next || (isOurs && !isGiven && wished === present)) return "spreading";
  return wished === present ? "cancel" : "begin";
}

/** Whose passwords can be asked to be changed. */
export const rotations = ["client", "system", "all"] as const;

/** Whether somebody has asked for other passwords, by annotation. */
export function isAsked(
  { metadata }: Pick<DeepReadonly<RedisInstance>, "metadata">,
  what: "client" | "system",
): boolean {
  const asked = metadata.annotations?.[rotateAnnotation];
  return asked === what || asked === "all";
}
