import { messageOf } from "@kedge/machinery";
import { existsSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConfigError } from "../containers/config-error.ts";
import { expand } from "../containers/expand.ts";
import type { ContainerMount } from "../runtime/types.ts";
import { openSubPath } from "../volumes/sub-path.ts";
import type { Run } from "./container-run.ts";
import type { PodContext } from "./context.ts";
import { podFolder } from "./pod-folder.ts";

/**
 * What is mounted in a container, outer folders before what is inside them. Parts of volumes are shown at places of
 * their own, because a path into a volume may mean something else by the time the runtime follows it;
 * `releaseSubPaths` takes these places away again.
 */
export async function containerMounts(
  context: PodContext,
  run: Run & { readonly id: string },
  environment: Readonly<Record<string, string>>,
): Promise<readonly ContainerMount[]> {
  const mounts: ContainerMount[] = [];
  for (const mount of run.container.volumeMounts ?? []) {
    const volume = run.sandbox.volumes.get(mount.name);
    if (volume === undefined) throw new ConfigError(`volumeMounts: the pod has no volume "${mount.name}"`);
    const part =
      mount.subPathExpr === undefined || mount.subPathExpr === ""
        ? (mount.subPath ?? "")
        : expand(mount.subPathExpr, (name) => environment[name]);
    const place = String(mounts.length);
    mounts.push({
      source: part === "" ? volume.path : await showSubPath(context, run, { mount: mount.name, part, place }),
      target: mount.mountPath,
      readOnly: volume.readOnly || mount.readOnly === true,
    });
  }
  const taken = new Set(mounts.map(({ target }) => target));
  mounts.push(...(await ownFiles(context, run)).filter(({ target }) => !taken.has(target)));
  return mounts.toSorted((a, b) => depth(a.target) - depth(b.target));
}

/** The container is made, or will not be: it has its own mounts by now. */
export async function releaseSubPaths(context: PodContext, podUid: string, id: string): Promise<void> {
  const places = podFolder(context.folder, podUid).subPathsOf(id);
  if (!existsSync(places)) return;
  await context.mounts.removeBelow(places);
  await context.clock.track(rm(places, { recursive: true, force: true }));
}

async function showSubPath(
  context: PodContext,
  { id, pod, sandbox, container }: Run & { readonly id: string },
  { mount, part, place: name }: { readonly mount: string; readonly part: string; readonly place: string },
): Promise<string> {
  const place = join(podFolder(context.folder, pod.metadata.uid).subPathsOf(id), name);
  try {
    await using handle = await openSubPath(sandbox.volumes.get(mount)?.path ?? "", part);
    await context.mounts.bind(handle, place);
  } catch (error) {
    const why = messageOf(error);
    throw new ConfigError(
      `failed to prepare subPath for volumeMount "${mount}" of container "${container.name}": ${why}`,
    );
  }
  return place;
}

/** What the pod gives each of its containers, unless they mount something there. */
async function ownFiles(
  context: PodContext,
  { pod, container, attempt, sandbox }: Run,
): Promise<readonly ContainerMount[]> {
  const folder = podFolder(context.folder, pod.metadata.uid);
  const message = folder.messageOf(container.name, attempt);
  await mkdir(dirname(message), { recursive: true });
  await writeFile(message, "");
  // Whoever the process is, it may write here.
  await chmod(message, 0o666);
  const messageTarget = container.terminationMessagePath ?? "/dev/termination-log";
  return [
    { source: folder.resolvConf, target: "/etc/resolv.conf", readOnly: false },
    ...(sandbox.namespacePath === undefined
      ? []
      : [
          { source: folder.hosts, target: "/etc/hosts", readOnly: false },
          { source: folder.hostname, target: "/etc/hostname", readOnly: false },
        ]),
    { source: message, target: messageTarget, readOnly: false },
  ];
}

function depth(path: string): number {
  return path.split("/").filter((part) => part !== "").length;
}
