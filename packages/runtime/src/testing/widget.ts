import type { Condition, Kind, NamespacedMeta } from "@kedge/machinery";

/** A custom kind for tests: it wants a number of ConfigMaps. */
export interface Widget {
  apiVersion: string;
  kind: string;
  metadata: NamespacedMeta;
  spec: { parts: number; colour?: string | undefined };
  status?:
    | { phase?: string | undefined; parts?: number | undefined; conditions?: Condition[] | undefined }
    | undefined;
}

export const Widget: Kind<Widget, "Namespaced", "status"> = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
  subresources: ["status"],
};
