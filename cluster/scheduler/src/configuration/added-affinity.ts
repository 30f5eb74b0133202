import type { NodeAffinity, NodeSelectorRequirement, NodeSelectorTerm } from "@kedge/machinery/kinds/core/v1";
import { elementsOf, fieldsOf, numberOf, oneOf, textOf, wrong, type Place } from "./read-fields.ts";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

/** Which nodes all pods of a profile must or should have. */
export function affinityAt(place: Place): NodeAffinity {
  const field = fieldsOf(place, [required, preferred]);
  const must = field(required);
  const should = elementsOf(field(preferred)).map((one) => {
    const term = fieldsOf(one, ["weight", "preference"]);
    return {
      weight: numberOf(term("weight"), { least: 1, most: 100 }),
      preference: termAt(term("preference")),
    };
  });
  return {
    ...(must.value !== undefined && { [required]: selectorAt(must) }),
    ...(should.length > 0 && { [preferred]: should }),
  };
}

function selectorAt(place: Place): { nodeSelectorTerms: NodeSelectorTerm[] } {
  const terms = fieldsOf(place, ["nodeSelectorTerms"])("nodeSelectorTerms");
  const nodeSelectorTerms = elementsOf(terms).map(termAt);
  if (nodeSelectorTerms.length === 0) throw wrong(terms, "must have a term");
  return { nodeSelectorTerms };
}

function termAt(place: Place): NodeSelectorTerm {
  const field = fieldsOf(place, ["matchExpressions", "matchFields"]);
  const [matchExpressions = [], matchFields = []] = ["matchExpressions", "matchFields"].map((name) =>
    elementsOf(field(name)).map(requirementAt),
  );
  return {
    ...(matchExpressions.length > 0 && { matchExpressions }),
    ...(matchFields.length > 0 && { matchFields }),
  };
}

const operators = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"] as const;

function requirementAt(place: Place): NodeSelectorRequirement {
  const field = fieldsOf(place, ["key", "operator", "values"]);
  const operator = oneOf(field("operator"), operators);
  const values = elementsOf(field("values")).map(textOf);
  const rule = {
    In: "must have a value",
    NotIn: "must have a value",
    Exists: "must be absent",
    DoesNotExist: "must be absent",
    Gt: "must be one number",
    Lt: "must be one number",
  }[operator];
  const isRight =
    rule === "must have a value"
      ? values.length > 0
      : rule === "must be absent"
        ? values.length === 0
        : values.length === 1 && /^-?\d+$/u.test(values[0] ?? "");
  if (!isRight) throw wrong(field("values"), `${rule} with ${operator}`);
  return { key: textOf(field("key")), operator, ...(values.length > 0 && { values }) };
}
