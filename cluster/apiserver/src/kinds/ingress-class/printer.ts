import { IngressClass } from "@kedge/machinery/kinds/networking/v1";
import { defaultIngressClassAnnotation } from "../../admission/default-ingress-class.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get ingressclasses`. */
export const ingressClassPrinter = printerOf(
  IngressClass,
  [
    nameColumn,
    column("Controller", "Who serves ingresses of this class."),
    column("Parameters", "Where more about it is said."),
    ageColumn,
  ],
  ({ metadata, spec }, now) => {
    const isDefault = metadata?.annotations?.[defaultIngressClassAnnotation] === "true";
    const { apiGroup, kind = "", name = "" } = spec?.parameters ?? {};
    const type = (apiGroup ?? null) === null ? kind : `${kind}.${apiGroup}`;
    return [
      `${metadata?.name ?? ""}${isDefault ? " (default)" : ""}`,
      spec?.controller ?? "",
      spec?.parameters === undefined ? "<none>" : `${type}/${name}`,
      age(metadata?.creationTimestamp, now),
    ];
  },
);
