import { messageOf } from "@kedge/machinery";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { ApiPod, ContainerDefinition } from "../model/types.ts";
import type { SeccompProfile } from "../runtime/seccomp.ts";
import type { ContainerSpec } from "../runtime/types.ts";
import { ConfigError } from "./config-error.ts";

/** Longer than any profile is. */
const longestProfile = 1 << 20;

/**
 * Which system calls a container may make: its own security context beats the pod's. `Localhost` profiles are JSON
 * files, as the OCI specification has them, in the node's folder `seccomp`. Throws a `ConfigError`.
 */
export async function seccompOf(
  pod: ApiPod,
  container: ContainerDefinition,
  nodeFolder: string,
): Promise<ContainerSpec["seccomp"]> {
  const { type, localhostProfile = "" } =
    container.securityContext?.seccompProfile ?? pod.spec?.securityContext?.seccompProfile ?? {};
  switch (type) {
    case undefined:
    case "Unconfined":
      return undefined;
    case "RuntimeDefault":
      return type;
    case "Localhost":
      return await load(join(nodeFolder, "seccomp"), localhostProfile);
    default:
      throw new ConfigError(`seccompProfile.type: unknown type "${type}"`);
  }
}

async function load(folder: string, name: string): Promise<SeccompProfile> {
  const path = join(folder, name);
  try {
    if (name === "" || !path.startsWith(`${folder}/`)) throw new Error("must be a path inside the folder");
    const profile: unknown = JSON.parse(await beginningOf(path));
    if (isProfile(profile)) return profile;
    throw new Error("it is not a profile: it has no defaultAction");
  } catch (error) {
    const why = messageOf(error);
    throw new ConfigError(`cannot load seccomp profile "${path}": ${why}`, "CreateContainerError");
  }
}

async function beginningOf(path: string): Promise<string> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(longestProfile), 0, longestProfile, 0);
  return buffer.toString("utf8", 0, bytesRead);
}

/** What else is in it is runc's to judge. */
function isProfile(value: unknown): value is SeccompProfile {
  return (
    typeof value === "object" &&
    value !== null &&
    "defaultAction" in value &&
    typeof value.defaultAction === "string"
  );
}
