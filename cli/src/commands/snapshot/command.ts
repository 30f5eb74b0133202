import { buildCommand, buildRouteMap } from "@stricli/core";
import { dirFlag } from "../../cluster-flags.ts";
import type { KedgeContext } from "../../context.ts";
import type { SnapshotFlags, SnapshotStatusFlags } from "./flags.ts";

const file = {
  kind: "tuple",
  parameters: [{ parse: String, placeholder: "file", brief: "The file of the snapshot" }],
} as const;

const saveCommand = buildCommand<SnapshotFlags, [file: string], KedgeContext>({
  loader: async () => {
    const { runSave } = await import("./save.ts");
    return function (flags, path) {
      return runSave(this, flags, path);
    };
  },
  parameters: { flags: { dir: dirFlag }, positional: file },
  docs: {
    brief: "Save all objects of the running cluster to a file",
    fullDescription: [
      "Saves the state of the cluster at one revision, with a checksum, while the cluster runs. Events are left out. The",
      "file has everything, Secrets too (encrypted where the cluster encrypts them): only you can read it. Volumes and",
      "images are not in it.",
      "",
      "EXAMPLES",
      "  kedge snapshot save backup.db",
    ].join("\n"),
  },
});

const restoreCommand = buildCommand<SnapshotFlags, [file: string], KedgeContext>({
  loader: async () => {
    const { runRestore } = await import("./restore.ts");
    return function (flags, path) {
      return runRestore(this, flags, path);
    };
  },
  parameters: { flags: { dir: dirFlag }, positional: file },
  docs: {
    brief: "Make the store of a stopped cluster from a snapshot",
    fullDescription: [
      "Makes the store of a cluster from a snapshot. The cluster must be stopped, and have no store any more: nothing is",
      "overwritten. A snapshot that is damaged is refused. Versions go on far behind those of the snapshot, so that no",
      "client takes what comes for what it has seen.",
      "",
      "EXAMPLES",
      "  kedge down && mv .kedge/store .kedge/store.old",
      "  kedge snapshot restore backup.db && kedge up",
    ].join("\n"),
  },
});

const statusCommand = buildCommand<SnapshotStatusFlags, [file: string], KedgeContext>({
  loader: async () => {
    const { runSnapshotStatus } = await import("./snapshot-status.ts");
    return function (flags, path) {
      return runSnapshotStatus(this, flags, path);
    };
  },
  parameters: {
    flags: { output: { kind: "enum", values: ["text", "json"], default: "text", brief: "How to print it" } },
    positional: file,
    aliases: { o: "output" },
  },
  docs: {
    brief: "Check a snapshot, and show its revision and size",
    fullDescription: [
      "Reads a snapshot and checks its checksum.",
      "",
      "EXAMPLES",
      "  kedge snapshot status backup.db",
    ].join("\n"),
  },
});

/** `kedge snapshot` */
export const snapshotRoutes = buildRouteMap({
  routes: { save: saveCommand, restore: restoreCommand, status: statusCommand },
  docs: { brief: "Save and restore the objects of the cluster" },
});
