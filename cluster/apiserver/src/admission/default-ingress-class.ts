import { Ingress, IngressClass } from "@kedge/machinery/kinds/networking/v1";
import { lookUpAll } from "../registry/lookup.ts";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import { isAbout } from "./request.ts";
import type { AdmissionPlugin } from "./types.ts";

/** Gives new ingresses that name no class the default one. */
export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",
  operations: ["CREATE"],
  admit: (request, { objects }) => {
    const { object } = request;
    if (object === undefined || !isAbout(request, Ingress)) return;
    const ingress = decodedAs(Ingress, object);
    const spec = (ingress.spec ??= {});
    if (spec.ingressClassName !== undefined) return;
    if (ingress.metadata?.annotations?.[ingressClassAnnotation] !== undefined) return;
    const name = defaultClass(lookUpAll(objects, IngressClass))?.metadata?.name;
    if (name !== undefined) spec.ingressClassName = name;
  },
};

/** How the class was named before there was a field for it. */
export const ingressClassAnnotation = "kubernetes.io/ingress.class";

/** Whose class an ingress has that names none. */
export const defaultIngressClassAnnotation = "ingressclass.kubernetes.io/is-default-class";

/** Of several defaults, the newest, then the first by name. */
function defaultClass(classes: readonly Decoded<IngressClass>[]): Decoded<IngressClass> | undefined {
  const defaults = classes.filter(
    ({ metadata }) => metadata?.annotations?.[defaultIngressClassAnnotation] === "true",
  );
  return defaults.toSorted(({ metadata: a }, { metadata: b }) => {
    if (a?.creationTimestamp !== b?.creationTimestamp)
      return (a?.creationTimestamp ?? "") < (b?.creationTimestamp ?? "") ? 1 : -1;
    return (a?.name ?? "") < (b?.name ?? "") ? -1 : 1;
  })[0];
}
