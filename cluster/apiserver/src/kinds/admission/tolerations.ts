import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Toleration } from "@kedge/machinery/kinds/core/v1";
import type { ApiObject } from "../../registry/types.ts";
import { sentAs, type Sent } from "../../registry/sent.ts";

/** Lets a pod stay for five minutes on a node that fails, unless the pod says itself how long. */
export function admitTolerations(object: ApiObject): void {
  const spec = (sentAs(Pod, object).spec ??= {});
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
}

function covers({ key = "", effect = "" }: Sent<Toleration>, wanted: string): boolean {
  return (key === wanted || key === "") && (effect === "NoExecute" || effect === "");
}
