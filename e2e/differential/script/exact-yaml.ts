import { exactInteger } from "@kedge/machinery";
import { parse } from "yaml";

/** YAML as data. Integers of 64 bits lose no digit: those that no number holds are bigints. */
export function parseYamlExactly(text: string): unknown {
  if (!/\d{16}/u.test(text)) return parse(text);
  return parse(text, exactly, { intAsBigInt: true });
}

function exactly(_key: unknown, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return BigInt.asIntN(64, value) === value ? exactInteger(value) : Number(value);
}
