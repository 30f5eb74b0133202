import { ComponentStatus } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";

/** ComponentStatuses: what `kubectl get componentstatuses` shows. This server knows of its store alone. */
export function componentStatusDefinition(): KindDefinition {
  return {
    kind: ComponentStatus,
    printer,
    strategy: { generation: "none" },
    verbs: ["get", "list"],
    deprecationWarning: "v1 ComponentStatus is deprecated in v1.19+",
    computed: (_objects, { name }) =>
      Promise.resolve(name === "" || name === storeName ? [statusOfStore()] : []),
  };
}

const storeName = "etcd-0";

/** Who can ask is answered from it. */
function statusOfStore(): StoredApiObject {
  return {
    apiVersion: "v1",
    kind: "ComponentStatus",
    metadata: { name: storeName },
    conditions: [{ type: "Healthy", status: "True", message: "ok" }],
  };
}

const printer = printerOf(
  ComponentStatus,
  [
    nameColumn,
    column("Status", "Whether it is healthy."),
    column("Message", "What it says."),
    column("Error", "What went wrong."),
  ],
  ({ metadata, conditions = [] }) => {
    const healthy = conditions.find(({ type }) => type === "Healthy");
    const status = healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
    return [metadata?.name, status, healthy?.message ?? "", healthy?.error ?? ""];
  },
);
