import { describe, expect, it } from "vitest";
import { ownCapabilities } from "./capabilities.ts";
import { cgroupHierarchies } from "./cgroups.ts";
import { ociConfig, type OciContext } from "./oci-config.ts";
import { overlayOptions } from "./oci-mounts.ts";
import type { ContainerSpec } from "./types.ts";

const spec: ContainerSpec = {
  id: "a",
  labels: {},
  image: {
    name: "x:1",
    id: "sha256:0",
    origin: "",
    layers: ["/l/top", "/l/a:b"],
    mounts: [{ source: "/usr", target: "/usr", readOnly: true }],
    entrypoint: [],
    command: [],
    environment: {},
    workingDirectory: "",
    user: "",
  },
  command: ["redis-server"],
  environment: { A: "b" },
  workingDirectory: "",
  user: { uid: 999, gid: 999, additionalGids: [5] },
  hostname: "redis-0",
  mounts: [{ source: "/v", target: "/usr/share/x/y", readOnly: false }],
  networkNamespace: "/run/netns/x",
  podUid: "p",
  resources: { memoryLimitBytes: 1000, oomScoreAdjust: -997 },
  privileged: false,
  readOnlyRootFilesystem: true,
  noNewPrivileges: true,
  capabilities: { add: ["NET_ADMIN"], drop: ["CHOWN"] },
  tty: false,
  logPath: "/log",
};
const context: OciContext = {
  root: "/c/root",
  cgroup: "/kedge/podp/a",
  capabilities: new Set(["CAP_CHOWN", "CAP_KILL", "CAP_NET_ADMIN", "CAP_SYS_ADMIN"]),
  oomScoreAdjust: 0,
  canLimitSwap: false,
};

describe("the OCI configuration", () => {
  it("has an overlay of all layers as its root", () => {
    expect(overlayOptions(spec.image.layers, { upper: "/c/up,per", work: "/c/work" })).toBe(
      String.raw`lowerdir=/l/top:/l/a\:b,upperdir=/c/up\,per,workdir=/c/work`,
    );
  });

  it("mounts outer folders before inner ones", () => {
    const { mounts } = ociConfig(spec, context);
    expect(mounts.slice(-2).map(({ destination }) => destination)).toEqual(["/usr", "/usr/share/x/y"]);
    expect(mounts.at(-2)?.options).toContain("ro");
  });

  it("has a filter of system calls if one is asked for, but not when privileged", () => {
    const seccomp = "RuntimeDefault" as const;
    expect(ociConfig(spec, context).linux).not.toHaveProperty("seccomp");
    expect(ociConfig({ ...spec, seccomp }, context).linux).toHaveProperty("seccomp.defaultAction");
    expect(ociConfig({ ...spec, seccomp, privileged: true }, context).linux).not.toHaveProperty("seccomp");
    const own = { defaultAction: "SCMP_ACT_LOG" };
    expect(ociConfig({ ...spec, seccomp: own }, context).linux).toMatchObject({ seccomp: own });
  });

  it("gives a volume the place of a default mount at the same path", () => {
    const shared = { ...spec, mounts: [{ source: "/v", target: "/dev/shm", readOnly: false }] };
    const atPath = ociConfig(shared, context).mounts.filter(({ destination }) => destination === "/dev/shm");
    expect(atPath.map(({ type }) => type)).toEqual(["bind"]);
  });

  it("gives no capability that this process lacks", () => {
    const { capabilities } = ociConfig(spec, context).process;
    expect(capabilities["bounding"]).toEqual(["CAP_KILL", "CAP_NET_ADMIN"]);
    const privileged = ociConfig({ ...spec, privileged: true, capabilities: { add: [], drop: [] } }, context);
    expect(new Set(privileged.process.capabilities["effective"])).toEqual(context.capabilities);
  });

  it("asks for no better chance to survive than it may give", () => {
    expect(ociConfig(spec, context).process.oomScoreAdj).toBe(0);
    const able = { ...context, capabilities: new Set(["CAP_SYS_RESOURCE"]) };
    expect(ociConfig(spec, able).process.oomScoreAdj).toBe(-997);
  });

  it("limits swap only where that can be done", () => {
    expect(ociConfig(spec, context).linux["resources"]).toMatchObject({ memory: { limit: 1000 } });
    const able = ociConfig(spec, { ...context, canLimitSwap: true });
    expect(able.linux["resources"]).toMatchObject({ memory: { limit: 1000, swap: 1000 } });
  });

  it("leaves the host's network to those that have no other", () => {
    const types = (config: { linux: Readonly<Record<string, unknown>> }): string =>
      JSON.stringify(config.linux["namespaces"]);
    expect(types(ociConfig(spec, context))).toContain('"path":"/run/netns/x"');
    const host = ociConfig({ ...spec, networkNamespace: undefined }, context);
    expect(types(host)).not.toContain("network");
    expect(host.linux["sysctl"]).toBeUndefined();
  });

  it.each([
    ["its own", undefined, ['{"type":"pid"}']],
    ["those of a namespace that it joins", "/proc/7/ns/pid", ['{"type":"pid","path":"/proc/7/ns/pid"}']],
    ["all of the machine", "host", []],
  ])("sees as processes %s", (_what, processNamespace, expected) => {
    const { namespaces } = ociConfig({ ...spec, processNamespace }, context).linux;
    const found = JSON.stringify(namespaces).match(/\{"type":"pid"[^}]*\}/gu) ?? [];
    expect([...found]).toEqual(expected);
  });

  it("has a PATH and a HOSTNAME, unless the container says otherwise", () => {
    expect(ociConfig(spec, context).process.env).toContain("HOSTNAME=redis-0");
    const own = ociConfig({ ...spec, environment: { PATH: "/x" } }, context).process.env;
    expect(own.filter((line) => line.startsWith("PATH="))).toEqual(["PATH=/x"]);
  });
});

describe("this machine", () => {
  it("tells its capabilities as a mask", () => {
    expect([...ownCapabilities("CapPrm:\t0000000000000021\n")]).toEqual(["CAP_CHOWN", "CAP_KILL"]);
  });

  it("tells its control groups as mounts", () => {
    const mountinfo = [
      "1 0 0:1 / / rw - ext4 /dev/vda rw",
      "2 1 0:2 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu",
      "3 1 0:3 / /sys/fs/cgroup/unified rw shared:1 - cgroup2 cgroup2 rw",
    ];
    expect(cgroupHierarchies(mountinfo.join("\n"))).toEqual(["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/unified"]);
  });
});
