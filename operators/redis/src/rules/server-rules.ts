import type { Refusal } from "@kedge/runtime";
import { checkConfig } from "../config/check-config.ts";
import { durabilityRefusals } from "../config/durability.ts";
import { isVolatile, volatileRefusal } from "../config/persistence.ts";
import { redisConfig } from "../config/redis-config.ts";
import type { InstanceSpec } from "../kind.ts";
import { versionRefusals } from "./version-rules.ts";

/** What is wrong with image, version and config, which go together: a config is checked for the server that reads it. */
export function serverRefusals(spec: InstanceSpec): readonly Refusal[] {
  const { image, redisVersion, config, auth, resources } = spec;
  const limit = resources?.limits?.["memory"];
  return [
    ...versionRefusals(spec),
    ...durabilityRefusals(spec),
    ...checkConfig(config, {
      image,
      redisVersion,
      authEnabled: auth.enabled,
      memoryLimit: limit === undefined ? undefined : String(limit),
    }),
  ];
}

/** Why servers that write nothing to their volumes may have no replicas. */
export function persistenceRefusals({
  config,
  auth,
  replicas,
  durability,
}: InstanceSpec): readonly Refusal[] {
  const text = redisConfig({ config, authEnabled: auth.enabled, durability, replicas });
  const isUnsafe = replicas > 1 && durability !== "cache" && isVolatile(text);
  return isUnsafe ? [volatileRefusal("spec.config")] : [];
}
