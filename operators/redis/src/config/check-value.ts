import { configWords } from "./config-words.ts";
import { directivesOf, type ValueType } from "./directive-table.ts";
import { titleOf, type Server } from "./image-server.ts";
import { memoryBytes } from "./maxmemory.ts";

/** Why a server would not take a value; undefined when it would, or when only the server can tell. */
export function checkValue(name: string, value: string, server: Server | undefined): string | undefined {
  const words = configWords(value.trim() === "" ? '""' : value) ?? [];
  const reasons = directivesOf(name, server).map(({ type }) => whyNot(words, type));
  const [why] = reasons;
  // Between two versions of the table it is enough when one of them takes it.
  if (why === undefined || reasons.includes(undefined)) return undefined;
  return `is ${shortened(value)}, which ${titleOf(server)} does not take: it must be ${why}`;
}

function whyNot(words: readonly string[], type: ValueType): string | undefined {
  const [word = ""] = words;
  if (type.name !== "other" && type.name !== "enums" && words.length !== 1) return "one word";
  switch (type.name) {
    case "other":
    case "text":
      return undefined;
    case "enums":
      return words.every((one) => isOneOf(one, type.words)) ? undefined : `some of ${type.words.join(", ")}`;
    case "bool":
      return isOneOf(word, ["yes", "no"]) ? undefined : "yes or no";
    case "enum":
      return isOneOf(word, type.words) ? undefined : `one of ${type.words.join(", ")}`;
    case "int":
    case "octal":
    case "memory":
    case "share":
      return isInRange(word, type) ? undefined : rangeText(type);
  }
}

type Range = Extract<ValueType, { readonly from: bigint }>;

function isInRange(word: string, { name, from, to }: Range): boolean {
  const amount = amountOf(word, name);
  return amount === "percent" || (amount !== undefined && amount >= from && amount <= to);
}

function amountOf(word: string, name: Range["name"]): bigint | "percent" | undefined {
  switch (name) {
    case "int":
      return /^(?:0|-?[1-9]\d{0,19})$/u.test(word) ? BigInt(word) : undefined;
    case "octal":
      return /^[0-7]{1,10}$/u.test(word) ? BigInt(`0o${word}`) : undefined;
    case "share":
      if (/^\d{1,3}%$/u.test(word)) return Number.parseInt(word, 10) <= 100 ? "percent" : undefined;
      return amountOf(word, "memory");
    case "memory":
      // Servers read nothing as none.
      return word === "" ? 0n : memoryBytes(word);
  }
}

function rangeText({ name, from, to }: Range): string {
  const what = {
    int: "a whole number",
    octal: "an octal number",
    memory: "an amount of memory such as 512mb",
    share: "an amount of memory such as 512mb, or a share such as 5%",
  }[name];
  const base = name === "octal" ? 8 : 10;
  return `${what}, from ${from.toString(base)} to ${to.toString(base)}`;
}

/** Servers do not mind the case of words. */
function isOneOf(word: string, words: readonly string[]): boolean {
  return words.some((known) => known.toLowerCase() === word.toLowerCase());
}

function shortened(value: string): string {
  const text = value.trim() === "" ? "empty" : value.trim();
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
