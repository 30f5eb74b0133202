import { tolerates } from "@kedge/machinery";
import { scale, type Score } from "./types.ts";

/** Nodes that would rather be left alone come last: by how many of their taints the pod does not tolerate. */
export const taintTolerationScore: Score = {
  name: "TaintToleration",
  prepare({ pod }, nodes) {
    const isAnywhere = nodes.some(({ taints }) => taints.some(({ effect }) => effect === "PreferNoSchedule"));
    if (!isAnywhere) return undefined;
    const tolerations = (pod.spec.tolerations ?? []).filter(
      ({ effect = "" }) => effect === "" || effect === "PreferNoSchedule",
    );
    return {
      of: ({ taints }) =>
        taints.filter(
          (taint) =>
            taint.effect === "PreferNoSchedule" &&
            !tolerations.some((toleration) => tolerates(toleration, taint)),
        ).length,
      normalize: (scores) => scale(scores, "less is better"),
    };
  },
};
