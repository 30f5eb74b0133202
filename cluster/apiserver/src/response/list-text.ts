import type { Steps } from "@kedge/machinery";
import type { Form } from "../request/negotiate.ts";
import type { ObjectVersion } from "../storage/object-version.ts";
import { yamlInSteps, yamlText } from "./yaml-in-steps.ts";

/** A list in parts: what is before the items, each of them, what is after them. */
export interface ListText {
  readonly mediaType: string;
  readonly head: Uint8Array;
  /** In steps where writing it takes long. */
  item(version: ObjectVersion, isFirst: boolean): readonly Uint8Array[] | Steps<readonly Uint8Array[]>;
  tail(isEmpty: boolean): Uint8Array;
}

/** What a list is made of. */
export interface ListParts {
  /** The list without items; the list of items is its last field. */
  readonly shell: object;
  /** One item. */
  readonly item: (version: ObjectVersion) => unknown;
  /** Its JSON, when it is there already. */
  readonly json?: (version: ObjectVersion) => readonly Uint8Array[];
}

/** Writes a list in the form that the client accepts: the same text as if it were encoded as a whole. */
export function listText(
  { encoding, pretty }: Pick<Form, "encoding" | "pretty">,
  parts: ListParts,
): ListText {
  if (encoding === "yaml") return yamlList(parts);
  return pretty ? prettyList(parts) : plainList(parts);
}

const comma = Buffer.from(",");

function plainList({ shell, item, json }: ListParts): ListText {
  const encode = json ?? ((version) => [Buffer.from(JSON.stringify(item(version)))]);
  return {
    mediaType: "application/json",
    // Ends with `[]}`.
    head: Buffer.from(JSON.stringify(shell).slice(0, -2)),
    item: (version, isFirst) => (isFirst ? encode(version) : [comma, ...encode(version)]),
    tail: () => Buffer.from("]}\n"),
  };
}

function prettyList({ shell, item }: ListParts): ListText {
  return {
    mediaType: "application/json",
    // Ends with `[]`, a line break and `}`.
    head: Buffer.from(JSON.stringify(shell, null, 2).slice(0, -3)),
    item: (version, isFirst) => [
      Buffer.from(`${isFirst ? "" : ","}\n    ${indented(JSON.stringify(item(version), null, 2))}`),
    ],
    tail: (isEmpty) => Buffer.from(isEmpty ? "]\n}" : "\n  ]\n}"),
  };
}

function yamlList({ shell, item }: ListParts): ListText {
  return {
    mediaType: "application/yaml",
    // Ends with ` []` and a line break.
    head: Buffer.from(yamlText(shell).slice(0, -4)),
    *item(version, isFirst) {
      const text = yield* yamlInSteps(item(version));
      yield;
      return [Buffer.from(`${isFirst ? "\n" : ""}  - ${indented(text.slice(0, -1))}\n`)];
    },
    tail: (isEmpty) => Buffer.from(isEmpty ? " []\n" : ""),
  };
}

/** All lines but the first, and those that are empty, further in. */
function indented(text: string): string {
  return text.replaceAll(/\n(?!\n|$)/gu, "\n    ");
}
