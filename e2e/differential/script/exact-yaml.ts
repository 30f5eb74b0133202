import { exactInteger } from "@kedge/machinery";
import { parse } from "yaml";

/** YAML as data. Integers of 64 bits lose no digit: those that no number holds are bigints. */
export function parseYamlExactly(text: string): unknown {
  if (!/\d{16}/u.test(text)) return parse(text);
  return parse(text, exactly, { intAsBigInt: true });
}

function exactly(_key: unknown, value: unknown): unknown {
  return typeof value === "bigint" ? exactInteger(value) : value;
}
