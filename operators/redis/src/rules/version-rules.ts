import type { Refusal } from "@kedge/runtime";
import { serverOf, tagOf, versionNumbers } from "../config/image-server.ts";
import type { InstanceSpec } from "../kind.ts";

/** Why `spec.redisVersion` cannot be: the image's tag names another one, or it is one that the operator cannot run. */
export function versionRefusals({
  image,
  redisVersion,
}: Pick<InstanceSpec, "image" | "redisVersion">): readonly Refusal[] {
  if (redisVersion === undefined) return [];
  const wanted = versionNumbers(redisVersion);
  const tagged = versionNumbers(tagOf(image));
  const isOther = tagged.some((number, i) => wanted[i] !== undefined && wanted[i] !== number);
  if (isOther) {
    return refused(
      `is ${redisVersion}, but spec.image is ${image}: name the same version in both, or leave spec.redisVersion out`,
    );
  }
  const program = serverOf(image)?.program ?? "redis";
  const { title, first } = oldest[program];
  return (wanted[0] ?? first) < first
    ? refused(`is ${redisVersion}: ${title} ${first} is the oldest that can be run; choose a newer one`)
    : [];
}

const oldest = { redis: { title: "Redis", first: 6 }, valkey: { title: "Valkey", first: 7 } } as const;

function refused(message: string): readonly Refusal[] {
  return [{ field: "spec.redisVersion", message }];
}
