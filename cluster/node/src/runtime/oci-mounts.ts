import type { ContainerSpec } from "./types.ts";

/** A mount as the OCI specification has it. */
export interface OciMount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

/** The options of the overlay that is a container's root. */
export function overlayOptions(
  layers: readonly string[],
  { upper, work }: { readonly upper: string; readonly work: string },
): string {
  const lower = layers.map(escaped).join(":");
  return `lowerdir=${lower},upperdir=${escaped(upper)},workdir=${escaped(work)}`;
}

/** What every container finds mounted, then what its image brings along, then its volumes: outer folders first. */
export function containerMounts(spec: ContainerSpec): readonly OciMount[] {
  const access = spec.privileged ? "rw" : "ro";
  const defaults: readonly OciMount[] = [
    { destination: "/proc", type: "proc", source: "proc", options: ["nosuid", "noexec", "nodev"] },
    {
      destination: "/dev",
      type: "tmpfs",
      source: "tmpfs",
      options: ["nosuid", "strictatime", "mode=755", "size=65536k"],
    },
    {
      destination: "/dev/pts",
      type: "devpts",
      source: "devpts",
      options: ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"],
    },
    {
      destination: "/dev/shm",
      type: "tmpfs",
      source: "shm",
      options: ["nosuid", "noexec", "nodev", "mode=1777", "size=65536k"],
    },
    {
      destination: "/dev/mqueue",
      type: "mqueue",
      source: "mqueue",
      options: ["nosuid", "noexec", "nodev"],
    },
    { destination: "/sys", type: "sysfs", source: "sysfs", options: ["nosuid", "noexec", "nodev", access] },
    {
      destination: "/sys/fs/cgroup",
      type: "cgroup",
      source: "cgroup",
      options: ["nosuid", "noexec", "nodev", "relatime", access],
    },
  ];
  const own = [...(spec.image.mounts ?? []), ...spec.mounts];
  const targets = new Set(own.map(({ target }) => target));
  return [
    // A volume at /dev/shm takes the place of the default one.
    ...defaults.filter(({ destination }) => !targets.has(destination)),
    ...own
      .toSorted((a, b) => depth(a.target) - depth(b.target))
      .map(({ source, target, readOnly }) => ({
        destination: target,
        type: "bind",
        source,
        options: ["rbind", "rprivate", readOnly ? "ro" : "rw"],
      })),
  ];
}

function depth(path: string): number {
  return path.split("/").filter((part) => part !== "").length;
}

/** Overlays part their folders by colons and their options by commas. */
function escaped(path: string): string {
  return path.replaceAll(/[\\:,]/gu, String.raw`\$&`);
}
