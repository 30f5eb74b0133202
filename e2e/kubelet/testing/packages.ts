import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { realClock as clock, silentLogger as logger } from "@kedge/machinery";
import { createPackageCache, findPrograms } from "@kedge/node";

/** Debian's containerd and the CNI plugins, of the suite that has containerd 2: the kubelet of 1.36 wants no older one. */
const pins = [
  {
    name: "containerd",
    version: "2.1.9+ds1-5",
    path: "pool/main/c/containerd/containerd_2.1.9+ds1-5_amd64.deb",
    size: 29_547_080,
    sha256: "2dda86ce7033fd612fc50e136679d8174ccad680eb29cd4611e0d2a1b84cf591",
  },
  {
    name: "containernetworking-plugins",
    version: "1.9.1+ds1-1",
    path: "pool/main/g/golang-github-containernetworking-plugins/containernetworking-plugins_1.9.1+ds1-1_amd64.deb",
    size: 10_599_464,
    sha256: "12857dd3136d61e00bffcc2c8823d14df586e94406098326e02846cfa46a058e",
  },
];

/** What a kubelet needs beside itself. */
export interface NodePackages {
  /** A folder with containerd, its shim and ctr. */
  readonly containerd: string;
  /** A folder with the CNI plugins. */
  readonly cni: string;
  readonly runc: string;
  /** A shell and all its tools, in one file without libraries. */
  readonly busybox: Buffer;
}

/** Fetches them into Kedge's cache, as packages that are not installed. */
export async function fetchPackages(): Promise<NodePackages> {
  const folder = process.env["KEDGE_CACHE"] ?? join(homedir(), ".cache", "kedge");
  const path = process.env["PATH"] ?? "";
  const cache = createPackageCache({ folder, clock, logger, path });
  const findPin = (name: string) => pins.find((pin) => pin.name === name);
  const newer = createPackageCache({ folder, clock, logger, path, findPin });
  const [containerd, cni] = await newer.unpack(
    pins.map(({ name }) => name),
    "sid",
  );
  const [busybox] = await cache.unpack(["busybox-static"]);
  const { runc } = await findPrograms({ cache, clock, path });
  return {
    containerd: join(containerd?.folder ?? "", "usr/bin"),
    cni: join(cni?.folder ?? "", "usr/lib/cni"),
    runc,
    busybox: await readFile(join(busybox?.folder ?? "", "bin/busybox")),
  };
}
