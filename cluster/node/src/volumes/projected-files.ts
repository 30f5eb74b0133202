import type { DeepReadonly } from "@kedge/machinery";
import type { ProjectedVolumeSource, VolumeProjection } from "@kedge/machinery/kinds/core/v1";
import type { ApiPod } from "../model/types.ts";
import { downwardFiles } from "./downward-files.ts";
import { configMapFiles, secretFiles, usualMode, type Payload, type PayloadFile } from "./payload.ts";
import type { VolumeContext } from "./types.ts";

/** The volume that admission gives every pod; without tokens on the server it is mounted without one. */
const automaticVolume = /^kube-api-access-/u;

/** The files of a projected volume: several sources in one folder. */
export async function projectedFiles(
  context: VolumeContext,
  name: string,
  volume: DeepReadonly<ProjectedVolumeSource>,
): Promise<Payload> {
  const files = new Map<string, PayloadFile>();
  for (const source of volume.sources ?? []) {
    const some = await sourceFiles(context, source, {
      defaultMode: volume.defaultMode ?? usualMode,
      isAutomatic: automaticVolume.test(name),
    });
    for (const [path, file] of some) files.set(path, file);
  }
  return files;
}

async function sourceFiles(
  context: VolumeContext,
  source: DeepReadonly<VolumeProjection>,
  options: { readonly defaultMode: number; readonly isAutomatic: boolean },
): Promise<Payload> {
  const { defaultMode } = options;
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (configMap !== undefined) {
    const { name = "" } = configMap;
    return configMapFiles(name, await context.objects.configMap(name), { ...configMap, defaultMode });
  }
  if (secret !== undefined) {
    const { name = "" } = secret;
    return secretFiles(name, await context.objects.secret(name), { ...secret, defaultMode });
  }
  if (downwardAPI !== undefined) {
    return downwardFiles(context.pod, downwardAPI.items ?? [], { ...context, defaultMode });
  }
  if (serviceAccountToken === undefined) {
    throw new Error(
      "this node can project configMap, secret, downwardAPI and serviceAccountToken sources only",
    );
  }
  const token = await context.tokens.token(context.pod, serviceAccountToken, context.signal);
  if (token === undefined) {
    if (options.isAutomatic) return new Map();
    throw new Error(
      "the API server issues no service account tokens (TokenRequest), so none can be projected",
    );
  }
  return new Map([[serviceAccountToken.path, tokenFile(context.pod, token, defaultMode)]]);
}

/** Only the pod's own user may read a token, where it is known who that is. */
function tokenFile(pod: ApiPod, token: string, defaultMode: number): PayloadFile {
  const owner = commonUser(pod);
  const isPrivate = owner !== undefined || pod.spec?.securityContext?.fsGroup !== undefined;
  return { data: Buffer.from(token, "utf8"), mode: isPrivate ? 0o600 : defaultMode, owner };
}

/** The user that all containers run as, if they say so and agree. */
function commonUser(pod: ApiPod): number | undefined {
  const ofPod = pod.spec?.securityContext?.runAsUser;
  const users = new Set(
    [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(
      ({ securityContext }) => securityContext?.runAsUser ?? ofPod,
    ),
  );
  return users.size === 1 ? [...users][0] : undefined;
}
