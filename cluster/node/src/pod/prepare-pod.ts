import { mkdir, writeFile } from "node:fs/promises";
import { removeTree } from "@kedge/network/remove-tree";
import { namesOf } from "../containers/hostname.ts";
import { hostPortsOf } from "../containers/host-ports.ts";
import { hostsFile } from "../containers/hosts-file.ts";
import { resolvConf } from "../containers/resolv-conf.ts";
import { isLive, prepareVolume } from "../volumes/prepare-volume.ts";
import type { MountedVolume, PodObjects, VolumeContext } from "../volumes/types.ts";
import type { PreparedSandbox } from "./container-run.ts";
import type { PodContext } from "./context.ts";
import { podFolder } from "./pod-folder.ts";
import type { ApiPod } from "../model/types.ts";

/** Gives a pod its network. Its folder comes first: an agent that finds a folder knows what to clear. */
export async function attachPod(
  context: PodContext,
  pod: ApiPod,
): Promise<Pick<PreparedSandbox, "podAddress" | "namespacePath">> {
  const { path } = podFolder(context.folder, pod.metadata.uid);
  await context.clock.track(mkdir(path, { recursive: true, mode: 0o700 }));
  if (pod.spec?.hostNetwork === true) return { podAddress: context.hostAddress, namespacePath: undefined };
  const { address, namespacePath } = await context.network.attach(pod.metadata.uid, hostPortsOf(pod));
  return { podAddress: address, namespacePath };
}

/** Gives a pod that has an address its files and volumes. Throws when one cannot be had now. */
export async function furnishPod(
  context: PodContext,
  pod: ApiPod,
  options: { readonly podAddress: string; readonly objects: PodObjects; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, MountedVolume>> {
  await context.clock.track(writeFiles(context, pod, options.podAddress));
  const volumes = new Map<string, MountedVolume>();
  for (const volume of pod.spec?.volumes ?? []) {
    volumes.set(volume.name, await prepareVolume(volumeContext(context, pod, options), volume));
  }
  return volumes;
}

/** Brings the volumes that are made of objects up to date. */
export async function refreshPod(
  context: PodContext,
  pod: ApiPod,
  options: { readonly podAddress: string; readonly objects: PodObjects; readonly signal: AbortSignal },
): Promise<void> {
  for (const volume of (pod.spec?.volumes ?? []).filter(isLive)) {
    await prepareVolume(volumeContext(context, pod, options), volume);
  }
}

/** Takes a pod's volumes and network away; its logs stay. */
export async function clearPod(context: PodContext, uid: string): Promise<void> {
  const { path, volumes } = podFolder(context.folder, uid);
  await context.mounts.removeBelow(path);
  await context.clock.track(removeTree(volumes));
  await context.network.detach(uid);
  context.tokens.forget(uid);
}

/** Takes away what is left of a pod on disk. */
export async function forgetPod(context: PodContext, uid: string): Promise<void> {
  await context.clock.track(removeTree(podFolder(context.folder, uid).path));
}

function volumeContext(
  context: PodContext,
  pod: ApiPod,
  options: { readonly podAddress: string; readonly objects: PodObjects; readonly signal: AbortSignal },
): VolumeContext {
  const { client, clock, random, tokens, mounts, allocatable, hostAddress } = context;
  const folder = podFolder(context.folder, pod.metadata.uid).volumes;
  const addresses = { podAddress: options.podAddress, hostAddress };
  const { objects, signal } = options;
  return { pod, folder, client, clock, random, objects, tokens, mounts, addresses, allocatable, signal };
}

async function writeFiles(context: PodContext, pod: ApiPod, podAddress: string): Promise<void> {
  const folder = podFolder(context.folder, pod.metadata.uid);
  await mkdir(folder.volumes, { recursive: true, mode: 0o750 });
  await mkdir(folder.logs, { recursive: true, mode: 0o700 });
  const names = namesOf(pod, { domain: context.dns.domain, nodeName: context.nodeName });
  const hosts = hostsFile(pod, names, podAddress);
  if (hosts !== undefined) await writeFile(folder.hosts, hosts, { mode: 0o644 });
  await writeFile(folder.hostname, `${names.hostname}\n`, { mode: 0o644 });
  await writeFile(folder.resolvConf, resolvConf(pod, context.dns, context.hostResolvConf), { mode: 0o644 });
}
