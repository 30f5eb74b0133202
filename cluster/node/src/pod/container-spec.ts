import { ConfigError } from "../containers/config-error.ts";
import { environmentOf, environmentReferences, type ReferencedObjects } from "../containers/environment.ts";
import { expand } from "../containers/expand.ts";
import { namesOf } from "../containers/hostname.ts";
import { resourcesOf } from "../containers/resources.ts";
import { appArmorProfileOf } from "../containers/app-armor.ts";
import { seccompOf } from "../containers/seccomp.ts";
import { serviceEnvironment } from "../containers/service-environment.ts";
import { userOf } from "../containers/user.ts";
import type { ResolvedImage } from "../images/types.ts";
import { readInRoot } from "../oci/read-in-root.ts";
import type { ContainerSpec } from "../runtime/types.ts";
import type { Run } from "./container-run.ts";
import { containerMounts } from "./container-mounts.ts";
import { imageVolumes } from "./image-volumes.ts";
import type { PodContext } from "./context.ts";
import { instanceOf, labelsOf, podUidOf } from "./labels.ts";
import { podFolder } from "./pod-folder.ts";
import { ephemeralContainersOf } from "../model/spec-of.ts";
import type { ContainerDefinition } from "../model/types.ts";
import { unsupportedInEphemeral } from "../model/unsupported.ts";

/**
 * All that the runtime needs to make the container of this id. Throws a `ConfigError` when the pod asks for the
 * impossible.
 */
export async function containerSpecOf(
  context: PodContext,
  run: Run & { readonly id: string },
  image: ResolvedImage,
  signal: AbortSignal,
): Promise<ContainerSpec> {
  const { id, pod, container, attempt, sandbox } = run;
  const own = environmentOf({
    pod,
    container,
    addresses: { podAddress: sandbox.podAddress, hostAddress: context.hostAddress },
    objects: await readReferences(run),
    services: serviceEnvironment(await context.services(signal), {
      namespace: pod.metadata.namespace,
      links: pod.spec?.enableServiceLinks ?? true,
    }),
    allocatable: context.allocatable,
  });
  const security = container.securityContext;
  const folder = podFolder(context.folder, pod.metadata.uid);
  const { hostname } = namesOf(pod, { domain: context.dns.domain, nodeName: context.nodeName });
  return {
    id,
    labels: labelsOf(pod, {
      name: container.name,
      attempt,
      image: image.name,
      imageId: image.id,
      stopSignal: image.stopSignal,
      resources: container.resources,
    }),
    image,
    command: commandOf(container, image, own),
    environment: { ...image.environment, HOSTNAME: hostname, ...own },
    workingDirectory: directoryOf(container, image),
    user: userOf(pod, container, {
      user: image.user,
      passwd: await context.clock.track(fileOfImage(image, "etc/passwd")),
      group: await context.clock.track(fileOfImage(image, "etc/group")),
    }),
    hostname,
    mounts: [
      ...(await context.clock.track(containerMounts(context, run, own))),
      ...(await context.clock.track(imageVolumes(context, run, image))),
    ],
    networkNamespace: sandbox.namespacePath,
    processNamespace: await processNamespaceOf(context, run),
    podUid: pod.metadata.uid,
    resources: resourcesOf(pod, container, context.memoryBytes),
    privileged: security?.privileged === true,
    readOnlyRootFilesystem: security?.readOnlyRootFilesystem === true,
    noNewPrivileges: security?.allowPrivilegeEscalation === false,
    capabilities: {
      add: security?.capabilities?.add ?? [],
      drop: security?.capabilities?.drop ?? [],
    },
    seccomp: await context.clock.track(seccompOf(pod, container, context.folder)),
    appArmorProfile: appArmorProfileOf(pod, container),
    tty: container.tty === true,
    ...(container.stdin === true && { stdin: container.stdinOnce === true ? "once" : "always" }),
    logPath: folder.logOf(container.name, attempt),
  };
}

/** An ephemeral container sees the processes of the one that it is to look into, `hostPID` those of the machine. */
async function processNamespaceOf(
  { runtime }: PodContext,
  { pod, container }: Run,
): Promise<string | undefined> {
  const ephemeral = ephemeralContainersOf(pod).find(({ name }) => name === container.name);
  const usual = pod.spec?.hostPID === true ? "host" : undefined;
  if (ephemeral === undefined) return usual;
  const refusal = unsupportedInEphemeral(ephemeral);
  if (refusal !== undefined) throw new ConfigError(refusal, "CreateContainerError");
  const { targetContainerName: target = "" } = ephemeral;
  if (target === "") return usual;
  const found = (await runtime.list()).find(
    (info) =>
      info.state === "running" &&
      podUidOf(info) === pod.metadata.uid &&
      instanceOf(info, undefined).name === target,
  );
  if (found?.pid !== undefined) return `/proc/${found.pid}/ns/pid`;
  throw new ConfigError(`unable to find target container "${target}"`, "CreateContainerError");
}

/** Reads the objects that the environment needs, so that the rest can be pure. */
async function readReferences({ container, objects }: Run): Promise<ReferencedObjects> {
  const { configMaps, secrets } = environmentReferences(container);
  const foundConfigMaps = await readAll(configMaps, (name) => objects.configMap(name));
  const foundSecrets = await readAll(secrets, (name) => objects.secret(name));
  return { configMap: (name) => foundConfigMaps.get(name), secret: (name) => foundSecrets.get(name) };
}

async function readAll<T>(
  names: ReadonlySet<string>,
  get: (name: string) => Promise<T>,
): Promise<Map<string, T>> {
  return new Map(await Promise.all(Array.from(names, async (name) => [name, await get(name)] as const)));
}

/** The pod's command replaces the image's entry point, its arguments replace the image's command. */
function commandOf(
  container: ContainerDefinition,
  image: ResolvedImage,
  environment: Readonly<Record<string, string>>,
): readonly string[] {
  const expanded = (words: readonly string[] | undefined): string[] =>
    (words ?? []).map((word) => expand(word, (name) => environment[name]));
  const command = expanded(container.command);
  const args = expanded(container.args);
  const all =
    command.length > 0
      ? [...command, ...args]
      : [...image.entrypoint, ...(args.length > 0 ? args : image.command)];
  if (all.length === 0) {
    throw new ConfigError(
      `no command specified: the image "${image.name}" has none, so set command`,
      "CreateContainerError",
    );
  }
  return all;
}

function directoryOf({ workingDir }: ContainerDefinition, image: ResolvedImage): string {
  if (workingDir !== undefined && workingDir !== "") return workingDir;
  return image.workingDirectory === "" ? "/" : image.workingDirectory;
}

/** The text of a file in the uppermost layer that has it; empty when none has. */
async function fileOfImage(image: ResolvedImage, path: string): Promise<string> {
  for (const layer of image.layers) {
    const text = await readInRoot(layer, path);
    if (text !== "") return text;
  }
  return "";
}
