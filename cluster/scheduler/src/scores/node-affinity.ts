import { matchesNodeTerm } from "@kedge/machinery";
import { scale, type Score } from "./types.ts";

/** Nodes that the pod's preferred node affinity means, by the weights of its terms. */
export const nodeAffinityScore: Score = {
  name: "NodeAffinity",
  prepare({ pod, profile }) {
    const terms = [pod.spec.affinity?.nodeAffinity, profile.addedAffinity].flatMap(
      (affinity) => affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [],
    );
    if (terms.length === 0) return undefined;
    return {
      of(node) {
        let sum = 0;
        for (const { weight, preference } of terms) if (matchesNodeTerm(preference, node)) sum += weight;
        return sum;
      },
      normalize: (scores) => scale(scores, "more is better"),
    };
  },
};
