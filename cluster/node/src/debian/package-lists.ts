/** A Debian release that packages come from. */
export type Suite = "bookworm" | "trixie" | "sid";

/** What Redis 8 and Valkey load alike. Above its first use, as it is read when the module is. */
const newServerNeeds = [
  "libatomic1",
  "liblzf1",
  "libjemalloc2",
  "libsystemd0",
  "libssl3t64",
  "libstdc++6",
  "libgcc-s1",
  "libcap2",
  "libzstd1",
  "zlib1g",
  "libc6",
  "busybox-static",
] as const;

/**
 * The packages that Kedge uses, suite by suite: a program and the shared libraries that it loads, not all that Debian's
 * dependencies name (no init scripts, no debconf). `pins.ts` has a version and a checksum for each of them.
 */
export const packageLists = {
  /** Its `libseccomp2` is on every Debian machine: apt needs it. */
  runc: ["runc"],
  conmon: [
    "conmon",
    "libglib2.0-0",
    "libsystemd0",
    "libpcre2-8-0",
    "libcap2",
    "libgcrypt20",
    "libgpg-error0",
    "liblzma5",
    "libzstd1",
    "liblz4-1",
    "libc6",
  ],
  ip: ["iproute2", "libbpf1", "libelf1", "libmnl0", "libbsd0", "libmd0", "libcap2", "zlib1g", "libc6"],
  nft: [
    "nftables",
    "libnftables1",
    "libedit2",
    "libmnl0",
    "libnftnl11",
    "libxtables12",
    "libjansson4",
    "libgmp10",
    "libtinfo6",
    "libbsd0",
    "libmd0",
    "libc6",
  ],
  busybox: ["busybox-static"],
  echo: ["ucspi-tcp-ipv6", "libc6", "busybox-static"],
  redis7: [
    "redis-server",
    "redis-tools",
    "libatomic1",
    "liblzf1",
    "libjemalloc2",
    "libsystemd0",
    "libssl3",
    "libstdc++6",
    "libgcc-s1",
    "libcap2",
    "libgcrypt20",
    "libgpg-error0",
    "liblzma5",
    "libzstd1",
    "liblz4-1",
    "libc6",
    "busybox-static",
  ],
  redis8: ["redis-server", "redis-tools", ...newServerNeeds],
  redisExporter: ["prometheus-redis-exporter", "libc6", "busybox-static"],
  valkey: ["valkey-server", "valkey-tools", ...newServerNeeds],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The suites that each list is used with: what has to be pinned. */
export const listSuites: Readonly<Record<keyof typeof packageLists, readonly Suite[]>> = {
  runc: ["bookworm"],
  conmon: ["bookworm"],
  ip: ["bookworm"],
  nft: ["bookworm"],
  busybox: ["bookworm", "trixie"],
  echo: ["bookworm"],
  redis7: ["bookworm"],
  redis8: ["trixie"],
  redisExporter: ["bookworm"],
  valkey: ["trixie", "sid"],
};
