import { join } from "node:path";

/** Where things of a pod lie on disk. */
export interface PodFolder {
  readonly path: string;
  readonly volumes: string;
  readonly logs: string;
  readonly hosts: string;
  readonly hostname: string;
  readonly resolvConf: string;
  /** Where parts of volumes are shown while a container is being made. */
  subPathsOf(containerId: string): string;
  /** Volumes that a container's image asks for. */
  imageVolumesOf(containerId: string): string;
  logOf(container: string, attempt: number): string;
  messageOf(container: string, attempt: number): string;
}

/** The folder of all pods' folders. */
export function podsFolder(nodeFolder: string): string {
  return join(nodeFolder, "pods");
}

/** The paths of one pod. */
export function podFolder(nodeFolder: string, uid: string): PodFolder {
  const path = join(podsFolder(nodeFolder), uid);
  return {
    path,
    volumes: join(path, "volumes"),
    logs: join(path, "logs"),
    hosts: join(path, "etc-hosts"),
    hostname: join(path, "etc-hostname"),
    resolvConf: join(path, "etc-resolv.conf"),
    subPathsOf: (containerId) => join(path, "subpaths", containerId),
    imageVolumesOf: (containerId) => join(path, "image-volumes", containerId),
    logOf: (container, attempt) => join(path, "logs", container, `${attempt}.log`),
    messageOf: (container, attempt) => join(path, "messages", container, String(attempt)),
  };
}
