/** A number of a credit card with whatever between its digits. */
export function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, "");
  if (!issuers.test(digits)) return false;
  const sum = Array.from(digits, Number)
    .toReversed()
    .map((digit, index) => (index % 2 === 0 ? digit : digit * 2))
    .reduce((total, digit) => total + (digit >= 10 ? (digit % 10) + 1 : digit), 0);
  return sum % 10 === 0;
}

const issuers =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** An ISBN of ten digits, the last may be an X. */
export function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\t\n\f\r -]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = Array.from(digits, (digit) => (digit === "X" ? 10 : Number(digit))).reduce(
    (total, digit, index) => total + (index + 1) * digit,
    0,
  );
  return sum % 11 === 0;
}

/** An ISBN of thirteen digits. */
export function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\t\n\f\r -]+/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  const sum = Array.from(digits, Number).reduce(
    (total, digit, index) => total + (index % 2 === 0 ? digit : 3 * digit),
    0,
  );
  return sum % 10 === 0;
}

/** A social security number of the United States, with its separators. */
export function isSsn(text: string): boolean {
  return text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text);
}
