import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Toleration } from "@kedge/machinery/kinds/core/v1";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import { isAbout } from "./request.ts";
import type { AdmissionPlugin } from "./types.ts";

/** Lets a pod stay for five minutes on a node that fails, unless the pod says itself how long. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  operations: ["CREATE", "UPDATE"],
  admit: (request) => {
    const { object } = request;
    if (object === undefined || !isAbout(request, Pod)) return;
    const spec = (decodedAs(Pod, object).spec ??= {});
    const tolerations = spec.tolerations ?? [];
    const missing = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].filter(
      (key) => !tolerations.some((toleration) => covers(toleration, key)),
    );
    if (missing.length === 0) return;
    const added = missing.map((key) => ({
      key,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 300,
    }));
    spec.tolerations = [...tolerations, ...added];
  },
};

function covers({ key = "", effect = "" }: Decoded<Toleration>, wanted: string): boolean {
  return (key === wanted || key === "") && (effect === "NoExecute" || effect === "");
}
