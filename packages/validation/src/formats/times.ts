import { parseDuration } from "@kedge/machinery";

/** `2026-11-15`, a day that exists. */
export function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

/** `2026-11-15T21:36:02Z`. As lenient as the server: any character may stand before the fraction. */
export function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(time);
  if (parts === null) return false;
  const [hours = "", minutes = "", seconds = ""] = parts.slice(1);
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}

/** `1h30m` as Go has it, or `3 days` and the like anywhere in the text. */
export function isDuration(text: string): boolean {
  if (isGoDuration(text)) return true;
  const parts = Array.from(text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g));
  if (parts.some(([, count = ""]) => BigInt(count) >= 2n ** 63n)) return false;
  return parts.some(([, , unit = ""]) => isUnit(unit.toLowerCase()));
}

function isGoDuration(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch {
    return false;
  }
}

/** Of each unit the last form may go on: `week`, `weeks`. */
const units = [
  ["ns", "nano"],
  ["us", "µs", "micro"],
  ["ms", "milli"],
  ["s", "sec"],
  ["m", "min"],
  ["h", "hr", "hour"],
  ["d", "day"],
  ["w", "wk", "week"],
];

function isUnit(text: string): boolean {
  return units.some((forms) => forms.includes(text) || text.startsWith(forms.at(-1) ?? text));
}
