/** One condition on one field. A field that an object lacks counts as empty. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** A parsed field selector: all requirements must hold. Frozen, and sorted as printed. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
}

/** Finds the value of a field of the object in question: `metadata.name`, `status.phase`. */
export type FieldLookup = (field: string) => string | undefined;

/**
 * Reads a field selector: `metadata.name=a,status.phase!=Running`. `==` is the same as `=`; in values `\,`, `\=` and
 * `\\` stand for the plain character. An empty text selects everything. Throws with Kubernetes' texts.
 */
export function parseFieldSelector(text: string): FieldSelector {
  // Sorted, so that of several bad terms the same one is complained of as in Kubernetes.
  const terms = splitTerms(text).toSorted();
  const requirements = terms.filter((term) => term !== "").map((term) => readTerm(term, text));
  // Kubernetes drops `=` and `!=` alone, which ask nothing of no field.
  return fieldSelectorOf(requirements.filter(({ field, value }) => field !== "" || value !== ""));
}

/** A selector of requirements that are all to hold. */
export function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  const printed = requirements.map((requirement) => ({ requirement, text: printRequirement(requirement) }));
  const sorted = printed.toSorted((a, b) => (a.text === b.text ? 0 : a.text < b.text ? -1 : 1));
  return Object.freeze({
    requirements: Object.freeze(sorted.map(({ requirement }) => Object.freeze({ ...requirement }))),
  });
}

/** Whether the fields that `lookup` finds fulfil the selector. */
export function fieldSelectorMatches(selector: FieldSelector, lookup: FieldLookup): boolean {
  return selector.requirements.every(
    ({ field, operator, value }) => ((lookup(field) ?? "") === value) === (operator === "="),
  );
}

/** Prints a selector as Kubernetes does and `parseFieldSelector` reads. */
export function fieldSelectorToString(selector: FieldSelector): string {
  return selector.requirements.map(printRequirement).join(",");
}

/** The one value that a selector demands of a field, if it demands one. */
export function exactFieldOf(selector: FieldSelector, field: string): string | undefined {
  return selector.requirements.find((each) => each.field === field && each.operator === "=")?.value;
}

function printRequirement({ field, operator, value }: FieldRequirement): string {
  return `${field}${operator}${value.replaceAll(/[\\,=]/gu, String.raw`\$&`)}`;
}

/** Splits at commas, except where a backslash comes before. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function readTerm(term: string, text: string): FieldRequirement {
  const [, field = "", operator, value = ""] = /^(.*?)(!=|==?)(.*)$/su.exec(term) ?? [];
  if (operator === undefined) {
    throw new TypeError(`invalid selector: '${text}'; can't understand '${term}'`);
  }
  return { field, operator: operator === "!=" ? "!=" : "=", value: unescapeValue(value) };
}

function unescapeValue(text: string): string {
  return text.replaceAll(/\\(.?)|[,=]/gsu, (found, escaped?: string) => {
    if (escaped === undefined) {
      // Kubernetes prints the character's number.
      throw new TypeError(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`);
    }
    if (escaped === "" || !"\\,=".includes(escaped)) {
      throw new TypeError(`invalid field selector: invalid escape sequence: ${found}`);
    }
    return escaped;
  });
}
