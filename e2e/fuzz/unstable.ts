import { parseJsonExactly, type ApiHeaders } from "@kedge/machinery";
import { isObject, type JsonObject } from "../comparison/json.ts";

/** An answer without what the real server itself would answer otherwise another time, or what only Go can print. */
export function withoutUnstable(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (value["kind"] === "Table") return withoutAges(value);
  if (value["kind"] === "Pod") return withTokenNames(value);
  return value["kind"] === "Status" ? withStableTexts(value) : value;
}

/** How old objects are is a matter of the second in which a Table was asked for. */
function withoutAges(table: JsonObject): JsonObject {
  const rows = listOf(table["rows"]).map((row) => ({
    ...row,
    cells: [row["cells"]].flat().map(stableCell),
  }));
  return { ...table, rows };
}

/** The volume with the token of a pod's service account has a name by chance. */
function withTokenNames(pod: JsonObject): unknown {
  return parseJsonExactly(withTokenName(JSON.stringify(pod)));
}

function withTokenName(text: string): string {
  return text.replaceAll(/(?<=kube-api-access-)[a-z\d]{5}(?=\W|$)/gu, "<suffix>");
}

function stableCell(cell: unknown): unknown {
  if (typeof cell !== "string") return cell;
  // Ages, the ports of a Service on nodes, and its address.
  return cell.replace(/^(?:\d+[smhdy])+$/u, "<age>").replaceAll(/:3\d{4}(?=\/)/gu, ":<nodePort>");
}

function withStableTexts(status: JsonObject): JsonObject {
  const { message, details } = status;
  const causes = isObject(details) ? listOf(details["causes"]) : [];
  return {
    ...status,
    ...(typeof message === "string" && { message: stable(message) }),
    ...(causes.length > 0 &&
      isObject(details) && {
        details: {
          ...details,
          causes: distinct(causes.map((cause) => ({ ...cause, message: stable(String(cause["message"])) }))),
        },
      }),
  };
}

/** On an update the real server looks at some fields twice, and tells twice what it finds; not so in the message. */
function distinct(causes: readonly JsonObject[]): readonly JsonObject[] {
  const found = [...new Map(causes.map((cause) => [JSON.stringify(cause), cause])).entries()];
  // Conflicts of an apply are told in the order of a Go map of managers.
  const isConflict = causes.some(({ reason }) => reason === "FieldManagerConflict");
  return (isConflict ? found.toSorted(([a], [b]) => (a < b ? -1 : 1)) : found).map(([, cause]) => cause);
}

function stable(text: string): string {
  return (
    withTokenName(text)
      // A patch that cannot be decoded is shown with the whole object that it made, as Go has ordered it.
      .replace(/(?<=(?:^|patch: )Invalid value: )"\{.*\}": /su, "<the patched object>: ")
      // Of what has another type Go's names are told, also those of embedded structs; and of several it is any.
      .replaceAll(
        /json: cannot unmarshal \S+ into Go struct field \S+ of type \S+?(?=,|\]?$)/gu,
        "<another type>",
      )
      // A version may be a number that the request says, too: then it would not be masked.
      .replaceAll(
        /(?<=ResourceVersion in (?:the precondition \(|record \(|precondition: |object meta: ))\d+/gu,
        "<rv>",
      )
      // A node port that the server itself has chosen, for two ports of a service with one number.
      .replaceAll(/(?<=Duplicate value: )3\d{4}(?=,|\]?$)/gu, "<nodePort>")
      // Go quotes line breaks in times in its own way.
      .replaceAll(String.raw`\x0a`, String.raw`\n`)
      // Strategic patches are converted by other code, with words of its own.
      .replace(/(?<=(?:^|patch: )Invalid value: )"map\[.*\]": .*?(?=\]?$)/su, "<the patch, and why not>")
      // Structs are shown with the names of their Go fields; and ours does not know an empty map from none.
      .replaceAll(/(?<=value: )(?:null|\{.*?\}): (?=[a-z`])/gu, "<an object>: ")
      // What may not change is shown as a difference of Go structs, which ours has no way to know.
      .replaceAll(/\n+@@.*?\n?(?=, [a-z]\S*: |\]?$)/gsu, "")
      // A field that no schema has ends the look at those around it, in the order of a Go map.
      .replace(/(?<=typed patch object \([^)]*\): ).*field not declared in schema.*$/su, "<an unknown field>")
      // The faults of an applied object are found in the order of a Go map.
      .replace(/(?<=: errors:\n).*$/su, (faults) => faults.split("\n").toSorted().join("\n"))
  );
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** What a patch left that no field is for is told in the order of Go's fields. */
export function withStableWarnings(headers: ApiHeaders): ApiHeaders {
  const { warning: sent = [] } = headers;
  // Over a network they come as one text.
  const warning = [sent].flat().flatMap((text) => text.split(/, (?=299 - )/u));
  if (warning.length < 2) return headers;
  const isUnknown = (text: string): boolean => text.includes("unknown field");
  return {
    ...headers,
    warning: [...warning.filter(isUnknown).toSorted(), ...warning.filter((text) => !isUnknown(text))],
  };
}
