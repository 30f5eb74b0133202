import type { ResolvedImage } from "../images/types.ts";
import type { ContainerSpec } from "../runtime/types.ts";

/** A container that asks nothing of its machine. */
export function simulatedSpec(
  id: string,
  image: ResolvedImage,
  labels: Readonly<Record<string, string>>,
): ContainerSpec {
  return {
    id,
    labels,
    image,
    command: image.entrypoint,
    environment: {},
    workingDirectory: image.workingDirectory,
    user: { uid: 0, gid: 0, additionalGids: [] },
    hostname: id,
    mounts: [],
    networkNamespace: undefined,
    podUid: "",
    resources: {},
    privileged: false,
    readOnlyRootFilesystem: false,
    noNewPrivileges: true,
    capabilities: { add: [], drop: [] },
    tty: false,
    logPath: "/dev/null",
  };
}
