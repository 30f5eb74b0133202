import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  formatMicroTime,
  messageOf,
  parseQuantity,
  quantityToNumber,
  type DeepReadonly,
} from "@kedge/machinery";
import type { EmptyDirVolumeSource, Volume } from "@kedge/machinery/kinds/core/v1";
import { writeAtomically } from "./atomic-writer.ts";
import { claimFolder } from "./claim.ts";
import { downwardFiles } from "./downward-files.ts";
import { checkHostPath } from "./host-path.ts";
import { MountError } from "./mount-error.ts";
import { giveToGroup } from "./ownership.ts";
import { configMapFiles, secretFiles, usualMode, type Payload } from "./payload.ts";
import { projectedFiles } from "./projected-files.ts";
import type { MountedVolume, VolumeContext } from "./types.ts";

/**
 * Makes a volume of a pod, or brings it up to date: calling it again is how changed objects reach running containers.
 * Throws a `MountError` when it cannot be made now.
 */
export async function prepareVolume(
  context: VolumeContext,
  volume: DeepReadonly<Volume>,
): Promise<MountedVolume> {
  try {
    return await prepare(context, volume);
  } catch (error) {
    throw new MountError(volume.name, messageOf(error));
  }
}

/** Whether what is in a volume can change while the pod runs. */
export function isLive(volume: DeepReadonly<Volume>): boolean {
  const { configMap, secret, downwardAPI, projected } = volume;
  return [configMap, secret, downwardAPI, projected].some((source) => source !== undefined);
}

async function prepare(context: VolumeContext, volume: DeepReadonly<Volume>): Promise<MountedVolume> {
  const { emptyDir, hostPath, persistentVolumeClaim } = volume;
  if (isLive(volume)) return await payloadVolume(context, volume);
  if (emptyDir !== undefined) return await emptyVolume(context, volume.name, emptyDir);
  if (hostPath !== undefined) {
    await context.clock.track(checkHostPath(hostPath.path, hostPath.type));
    return { path: hostPath.path, readOnly: false };
  }
  if (persistentVolumeClaim !== undefined) {
    const { claimName, readOnly = false } = persistentVolumeClaim;
    const key = { namespace: context.pod.metadata.namespace, name: claimName };
    const claim = await claimFolder(context.client, key, context.signal);
    if (claim.image !== undefined) await context.mounts.image(claim.image, claim.path);
    await context.clock.track(checkHostPath(claim.path, claim.hostPathType));
    if (claim.ownable && !readOnly) await giveToPodGroup(context, claim.path);
    return { path: claim.path, readOnly };
  }
  throw new Error(`this node cannot mount a volume of the type ${typeOf(volume)}`);
}

async function emptyVolume(
  context: VolumeContext,
  name: string,
  { medium, sizeLimit }: DeepReadonly<EmptyDirVolumeSource>,
): Promise<MountedVolume> {
  const path = join(context.folder, name);
  const mode = 0o777;
  if (medium === "Memory") {
    const sizeBytes = sizeLimit === undefined ? undefined : quantityToNumber(parseQuantity(sizeLimit));
    await context.mounts.memory(path, { mode: 0o1777, sizeBytes });
  } else if (medium === undefined || medium === "") {
    await context.clock.track(makeFolder(path, mode));
  } else {
    throw new Error(`emptyDir medium ${medium}: this node knows the default one and Memory`);
  }
  await giveToPodGroup(context, path);
  return { path, readOnly: false };
}

async function payloadVolume(context: VolumeContext, volume: DeepReadonly<Volume>): Promise<MountedVolume> {
  const payload = await payloadOf(context, volume);
  const path = join(context.folder, volume.name);
  const mode = 0o755;
  const isSecret = volume.secret !== undefined || volume.projected !== undefined;
  if (isSecret) await context.mounts.memory(path, { mode });
  else await context.clock.track(makeFolder(path, mode));
  // The time as Kubernetes writes it into these names; chance keeps two of one moment apart.
  const time = formatMicroTime(context.clock.now()).replaceAll(/[-T:]/gu, "_").replace("Z", "");
  await context.clock.track(
    writeAtomically(path, payload, {
      version: `${time}${context.random.int(1000)}`,
      group: context.pod.spec?.securityContext?.fsGroup,
    }),
  );
  return { path, readOnly: true };
}

async function payloadOf(context: VolumeContext, volume: DeepReadonly<Volume>): Promise<Payload> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap !== undefined) {
    const { name = "", defaultMode = usualMode } = configMap;
    return configMapFiles(name, await context.objects.configMap(name), { ...configMap, defaultMode });
  }
  if (secret !== undefined) {
    const { secretName = "", defaultMode = usualMode } = secret;
    return secretFiles(secretName, await context.objects.secret(secretName), { ...secret, defaultMode });
  }
  if (downwardAPI !== undefined) {
    const { defaultMode = usualMode, items = [] } = downwardAPI;
    return downwardFiles(context.pod, items, { ...context, defaultMode });
  }
  return projected === undefined ? new Map() : await projectedFiles(context, volume.name, projected);
}

/** `mkdir` alone lets the process's umask take part in the mode. */
async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  await chmod(path, mode);
}

async function giveToPodGroup({ pod, clock, signal }: VolumeContext, path: string): Promise<void> {
  const { fsGroup, fsGroupChangePolicy } = pod.spec?.securityContext ?? {};
  if (fsGroup === undefined) return;
  const onlyOnMismatch = fsGroupChangePolicy === "OnRootMismatch";
  await clock.track(giveToGroup(path, fsGroup, { onlyOnMismatch, signal }));
}

function typeOf(volume: DeepReadonly<Volume>): string {
  return Object.keys(volume).find((key) => key !== "name") ?? "unknown";
}
