import type { ApiPod, ContainerDefinition } from "../model/types.ts";
import { ConfigError } from "./config-error.ts";

/** Who a container's process is, in numbers. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly additionalGids: readonly number[];
}

/** The image's own list of users and groups, as the texts of its `/etc/passwd` and `/etc/group`. */
export interface ImageAccounts {
  /** `redis`, `999`, `999:999`, or empty for root. */
  readonly user: string;
  readonly passwd: string;
  readonly group: string;
}

/** Finds out who the process is to be. The container's security context beats the pod's, which beats the image. */
export function userOf(pod: ApiPod, container: ContainerDefinition, image: ImageAccounts): ContainerUser {
  const ofPod = pod.spec?.securityContext;
  const own = container.securityContext;
  const [imageUser = "", imageGroup = ""] = image.user.split(":");
  const runAsUser = own?.runAsUser ?? ofPod?.runAsUser;
  const account = accountOf(runAsUser === undefined ? imageUser : String(runAsUser), image.passwd);
  if (account === undefined) {
    throw new ConfigError(
      `the image's user "${imageUser}" is not in its /etc/passwd: set securityContext.runAsUser`,
      "CreateContainerError",
    );
  }
  if ((own?.runAsNonRoot ?? ofPod?.runAsNonRoot) === true && account.uid === 0) {
    const where = `pod: "${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})", container: ${container.name}`;
    throw new ConfigError(
      runAsUser === 0
        ? `container's runAsUser breaks non-root policy (${where})`
        : `container has runAsNonRoot and image will run as root (${where})`,
    );
  }
  const runAsGroup = own?.runAsGroup ?? ofPod?.runAsGroup;
  const gid =
    runAsGroup ??
    (runAsUser === undefined && imageGroup !== "" ? groupId(imageGroup, image.group) : account.gid);
  const additional = new Set([
    ...(ofPod?.supplementalGroupsPolicy === "Strict" ? [] : groupsOf(account.name, image.group)),
    ...(ofPod?.supplementalGroups ?? []),
    ...(ofPod?.fsGroup === undefined ? [] : [ofPod.fsGroup]),
  ]);
  additional.delete(gid);
  return { uid: account.uid, gid, additionalGids: [...additional] };
}

interface Account {
  readonly name: string | undefined;
  readonly uid: number;
  readonly gid: number;
}

/** Undefined: a name that the image does not know. A number need not be known. */
function accountOf(user: string, passwd: string): Account | undefined {
  const wanted = user === "" ? "0" : user;
  const isNumber = /^\d+$/u.test(wanted);
  for (const line of passwd.split("\n")) {
    const [name = "", , uid = "", gid = ""] = line.split(":");
    if ((isNumber ? uid : name) === wanted) return { name, uid: Number(uid), gid: Number(gid) };
  }
  return isNumber ? { name: undefined, uid: Number(wanted), gid: 0 } : undefined;
}

function groupId(group: string, groups: string): number {
  if (/^\d+$/u.test(group)) return Number(group);
  for (const line of groups.split("\n")) {
    const [name, , gid = ""] = line.split(":");
    if (name === group) return Number(gid);
  }
  throw new ConfigError(
    `the image's group "${group}" is not in its /etc/group: set securityContext.runAsGroup`,
    "CreateContainerError",
  );
}

function groupsOf(user: string | undefined, groups: string): number[] {
  if (user === undefined) return [];
  return groups
    .split("\n")
    .map((line) => line.split(":"))
    .filter(([, , , members = ""]) => members.split(",").includes(user))
    .map(([, , gid = ""]) => Number(gid));
}
