import type { Container, ProjectedVolumeSource, Volume } from "@kedge/machinery/kinds/core/v1";
import type { Chooser } from "../fuzz/chooser.ts";

/** What volumes may be made of. */
export interface VolumeSources {
  /** A folder of the machine that is the test's own. */
  readonly hostFolder: string;
  /** There are a config map and a secret of the name `there`, each with a key `key`, and these claims. */
  readonly claims: readonly string[];
}

type Mount = NonNullable<Container["volumeMounts"]>[number];

/** A volume of any kind: most can be had, some can not, some the node refuses. */
export function volume(choose: Chooser, name: string, sources: VolumeSources): Volume {
  const { hostFolder, claims } = sources;
  const object = choose.maybe(93) ? "there" : "missing";
  const optional = choose.maybe(25);
  const items = choose.maybe(25) && {
    items: [{ key: choose.maybe(90) ? "key" : "nothing", path: choose.one(["a", "b/c"]), mode: 0o400 }],
  };
  const usual: readonly Omit<Volume, "name">[] = [
    { emptyDir: {} },
    { emptyDir: { sizeLimit: "1Mi" } },
    { emptyDir: { medium: "Memory", ...(choose.maybe() && { sizeLimit: "8Mi" }) } },
    { configMap: { name: object, optional, ...items } },
    { secret: { secretName: object, optional, ...items } },
    { downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
    { projected: projected(choose, object) },
    { hostPath: { path: `${hostFolder}/${choose.one(["a", "b"])}`, type: "DirectoryOrCreate" } },
    { persistentVolumeClaim: { claimName: choose.one(claims), readOnly: choose.maybe(20) } },
  ];
  const unusual: readonly Omit<Volume, "name">[] = [
    { hostPath: { path: `${hostFolder}/nowhere`, type: choose.one(["Directory", "File", "Socket"]) } },
    { hostPath: { path: "/dev/null", type: choose.one(["CharDevice", "BlockDevice", "File"]) } },
    { hostPath: { path: `${hostFolder}/file`, type: "FileOrCreate" } },
    { persistentVolumeClaim: { claimName: "missing" } },
    { emptyDir: { medium: "HugePages" } },
    { nfs: { server: "192.0.2.1", path: "/" } },
    { csi: { driver: "no.such.driver" } },
    { image: { reference: "busybox:1.35" } },
    { ephemeral: { volumeClaimTemplate: { spec: claimSpec } } },
  ];
  return { name, ...choose.one(choose.maybe(93) ? usual : unusual) };
}

/** Where a container sees a volume: `/v0`, `/v1` and so on. */
export function mount(choose: Chooser, name: string, mountPath: string): Mount {
  return {
    name,
    mountPath,
    ...(choose.maybe(15) && { readOnly: true }),
    ...(choose.maybe(25) &&
      choose.one<Partial<Mount>>([
        { subPath: "part" },
        { subPath: "part/of/it" },
        { subPath: "root/etc" },
        { subPath: "key" },
        { subPathExpr: "$(WHO)/data" },
        { subPathExpr: "$(WHO)" },
        { subPathExpr: "$(NOBODY)" },
      ])),
  };
}

/** What a claim of these tests asks for. */
export const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "16Mi" } } };

function projected(choose: Chooser, name: string): ProjectedVolumeSource {
  return {
    sources: [
      { configMap: { name, items: [{ key: "key", path: "map" }] } },
      ...(choose.maybe() ? [{ secret: { name, optional: true } }] : []),
      { serviceAccountToken: { path: "token", expirationSeconds: 600 } },
      { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
    ],
    ...(choose.maybe(30) && { defaultMode: 0o440 }),
  };
}
