import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { networkCommands } from "../../network/testing/machines.ts";

/**
 * Nothing of a process passes any more, to whomever: what it has open by the ports of its ends, what it opens by the
 * control group that it is put into. Disposing of it heals it.
 */
export async function cutProcess(pid: number): Promise<AsyncDisposable> {
  const name = `kedge-cut-${pid}`;
  const root = unifiedGroups();
  const group = join(root, name);
  const home = homeOf(pid);
  const commands = await networkCommands();
  mkdirSync(group);
  // First the group: what is opened from here on is in it, and all that was is known by its port.
  writeFileSync(join(group, "cgroup.procs"), String(pid));
  const ports = portsOf(pid).join(", ");
  const path = join(root, name).replace(/^\/sys\/fs\/cgroup\//u, "");
  const open = ports === "" ? "" : `tcp sport { ${ports} } drop`;
  await commands.nft(`table ip ${name} {
  chain output {
    type filter hook output priority filter - 10; policy accept;
    socket cgroupv2 level 1 "${path}" drop
    ${open}
  }
}
`);
  return {
    async [Symbol.asyncDispose]() {
      await commands.nft(`delete table ip ${name}\n`);
      writeFileSync(join(root, home, "cgroup.procs"), String(pid));
      rmdirSync(group);
    },
  };
}

/** Where the groups of the second version are: all of them, or beside those of the first one. */
function unifiedGroups(): string {
  const mounts = readFileSync("/proc/self/mounts", "utf8");
  const [, folder] = /^\S+ (\S+) cgroup2 /mu.exec(mounts) ?? [];
  if (folder === undefined) throw new Error("this machine has no control groups of the second version");
  return folder;
}

function homeOf(pid: number): string {
  return /^0::(.*)$/mu.exec(readFileSync(`/proc/${pid}/cgroup`, "utf8"))?.[1] ?? "/";
}

/** The ports of this side of all TCP connections of a process. */
function portsOf(pid: number): readonly number[] {
  const folder = `/proc/${pid}/fd`;
  const inodes = new Set(
    readdirSync(folder).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/u.exec(readlinkSync(join(folder, fd)))?.[1] ?? [];
      } catch {
        // It has just been closed.
        return [];
      }
    }),
  );
  return readFileSync(`/proc/${pid}/net/tcp`, "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, , , , , , , , , inode = ""]) => inodes.has(inode))
    .map(([, local = ""]) => Number.parseInt(local.split(":")[1] ?? "", 16));
}
