import { FlowSchema } from "@kedge/machinery/kinds/flowcontrol/v1";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import { lookUpAll } from "../registry/lookup.ts";
import { isAbout, refusal } from "./request.ts";
import type { AdmissionPlugin } from "./types.ts";

/** So many rules all flow schemas of a server may have: a request may have to be compared with each. */
const mostRules = 20_000;

/** Bounds what the flow schemas of a server may cost every request. Kubernetes has no such bound. */
export const flowSchemaRules: AdmissionPlugin = {
  name: "FlowSchemaRules",
  operations: ["CREATE", "UPDATE"],
  validate: (request, { objects }) => {
    const { object } = request;
    if (object === undefined || !isAbout(request, FlowSchema)) return;
    const wanted = decodedAs(FlowSchema, object);
    const own = rulesOf(wanted);
    if (request.oldObject !== undefined && own <= rulesOf(decodedAs(FlowSchema, request.oldObject))) return;
    const others = lookUpAll(objects, FlowSchema).reduce(
      (sum, schema) => (schema.metadata?.name === wanted.metadata?.name ? sum : sum + rulesOf(schema)),
      0,
    );
    if (others + own <= mostRules) return;
    throw refusal(
      request,
      `spec.rules: it has ${own} rules and all other flow schemas have ${others}: together they may have ${mostRules}; say it in fewer rules, each with several subjects, verbs or resources`,
    );
  },
};

function rulesOf({ spec }: Decoded<FlowSchema>): number {
  return (spec?.rules ?? []).reduce(
    (sum, { resourceRules, nonResourceRules }) =>
      sum + 1 + (resourceRules?.length ?? 0) + (nonResourceRules?.length ?? 0),
    0,
  );
}
