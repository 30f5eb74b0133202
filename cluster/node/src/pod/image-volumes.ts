import { mkdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { runProgram } from "@kedge/network/run-program";
import type { ResolvedImage } from "../images/types.ts";
import { rootPath } from "../oci/root-path.ts";
import type { ContainerMount } from "../runtime/types.ts";
import type { Run } from "./container-run.ts";
import type { PodContext } from "./context.ts";
import { podFolder } from "./pod-folder.ts";

/**
 * The folders that an image wants to write to in any case, with what it has in them. Where the whole root can be written
 * to, they are part of it already. What the pod mounts there itself comes first.
 */
export async function imageVolumes(
  { folder, clock }: PodContext,
  { id, pod, container }: Run & { readonly id: string },
  image: ResolvedImage,
): Promise<readonly ContainerMount[]> {
  if (container.securityContext?.readOnlyRootFilesystem !== true) return [];
  const taken = new Set((container.volumeMounts ?? []).map(({ mountPath }) => posix.resolve("/", mountPath)));
  const places = podFolder(folder, pod.metadata.uid).imageVolumesOf(id);
  const mounts: ContainerMount[] = [];
  for (const path of image.volumes ?? []) {
    const target = posix.resolve("/", path);
    if (target === "/" || taken.has(target)) continue;
    const source = join(places, String(mounts.length));
    await mkdir(source, { recursive: true, mode: 0o755 });
    for (const layer of image.layers.slice(0, 1)) {
      const inside = rootPath(layer);
      const real = inside.folder(target.split("/"), false);
      if (real === undefined || real === "") continue;
      const from = `${inside.onMachine(real).toString()}/.`;
      await runProgram("cp", ["-a", "--", from, source], { clock, timeoutMs: 120_000 });
    }
    mounts.push({ source, target, readOnly: false });
  }
  return mounts;
}
