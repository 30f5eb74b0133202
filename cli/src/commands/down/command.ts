import { buildCommand } from "@stricli/core";
import { dirFlag } from "../../cluster-flags.ts";
import type { KedgeContext } from "../../context.ts";
import type { DownFlags } from "./run.ts";

/** `kedge down` */
export const downCommand = buildCommand<DownFlags, [], KedgeContext>({
  loader: async () => {
    const { runDown } = await import("./run.ts");
    return function (flags) {
      return runDown(this, flags);
    };
  },
  parameters: {
    flags: {
      dir: dirFlag,
      purge: { kind: "boolean", default: false, brief: "Also delete its state and all data in it, for good" },
    },
  },
  docs: {
    brief: "Stop the cluster on this machine",
    fullDescription: [
      "Stops the embedded cluster and leaves nothing of it running: no process, container, mount, interface or rule.",
      "Its data stays in the folder, and `kedge up` goes on with it; --purge deletes it.",
      "",
      "EXAMPLES",
      "  kedge down",
      "  kedge down --dir /tmp/other --purge",
    ].join("\n"),
  },
});
