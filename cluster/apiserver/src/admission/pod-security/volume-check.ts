import { plural, quoted, sorted } from "./texts.ts";
import type { Check, CheckedPod, Violation } from "./types.ts";

/** Only volumes that come from the cluster's own objects, or from a driver. */
export const volumeCheck: Check = {
  id: "restrictedVolumes",
  level: "restricted",
  overrides: "hostPathVolumes",
  versions: [[0, restrictedVolumes]],
};

const allowed = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const;

function restrictedVolumes({ spec }: CheckedPod): Violation | undefined {
  const bad = (spec.volumes ?? []).filter((volume) => allowed.every((type) => volume[type] === undefined));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name = "" }) => name);
  // The only field beside the name is the one that says what it is.
  const types = sorted(bad.map((volume) => Object.keys(volume).find((key) => key !== "name") ?? "unknown"));
  const use = `${plural("uses", "use", names)} ${plural("restricted volume type", "restricted volume types", types)}`;
  return {
    reason: "restricted volume types",
    detail: `${plural("volume", "volumes", names)} ${quoted(names)} ${use} ${quoted(types)}`,
  };
}
