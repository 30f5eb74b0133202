/** Why a text is not a 64-bit integer, in the words of Go's strconv. */
export type IntegerFault = "invalid syntax" | "value out of range";

/** Reads a decimal integer of 64 bits with an optional sign, as Go's strconv does. */
export function parseInt64(text: string): bigint | IntegerFault {
  if (!/^[-+]?[0-9]+$/u.test(text)) return "invalid syntax";
  const digits = text.replace(/^[-+]?0*/u, "");
  // Longer texts are out of range anyway, and costly to convert.
  if (digits.length > 19) return "value out of range";
  const value = text.startsWith("-") ? -BigInt(digits) : BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : "value out of range";
}
