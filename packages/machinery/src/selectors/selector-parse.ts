import { messageOf } from "../errors/message-of.ts";
import { fieldErrorText, fieldInvalid } from "../errors/field-error.ts";
import { validateQualifiedName } from "../objects/names.ts";
import {
  newRequirement,
  selectorOf,
  type Requirement,
  type Selector,
  type SelectorOperator,
} from "./selector.ts";

/**
 * Reads a label selector as `kubectl -l` takes it: `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>3,j<5`. An empty text selects
 * everything. Throws with Kubernetes' texts.
 */
export function parseSelector(text: string): Selector {
  const tokens = new Tokens(text);
  const requirements: Requirement[] = [];
  if (tokens.peek() === end) return selectorOf(requirements);
  for (;;) {
    const start = tokens.peek();
    if (!isIdentifier(start) && start !== "!") {
      throw requirements.length === 0
        ? new TypeError(`found '${start}', expected: !, identifier, or 'end of string'`)
        : new TypeError(`found '${start}', expected: identifier after ','`);
    }
    requirements.push(readRequirement(tokens));
    const next = tokens.take();
    if (next === end) return selectorOf(requirements);
    if (next !== ",") throw new TypeError(`found '${next}', expected: ',' or 'end of string'`);
  }
}

/** The literals of a selector, ending with empty ones. Blanks only separate. */
class Tokens {
  readonly #literals: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#literals = text.match(/[=!]=|[=!(),<>]|[^=!(),<> \t\r\n]+/gu) ?? [];
  }

  peek(): string {
    return this.#literals[this.#next] ?? end;
  }

  take(): string {
    const literal = this.peek();
    this.#next++;
    return literal;
  }
}

const end = "";

/** Whether a literal is a key or value. `in` and `notin` are, wherever no operator is expected. */
function isIdentifier(literal: string): boolean {
  return literal !== end && !/^[=!(),<>]/u.test(literal);
}

/** Kubernetes says of every fault inside a requirement where it was. */
function readRequirement(tokens: Tokens): Requirement {
  try {
    return readParts(tokens);
  } catch (error) {
    const reason = messageOf(error);
    throw new TypeError(`unable to parse requirement: ${reason}`, { cause: error });
  }
}

function readParts(tokens: Tokens): Requirement {
  const absent = tokens.peek() === "!";
  if (absent) tokens.take();
  const key = tokens.take();
  if (!isIdentifier(key)) throw new TypeError(`found '${key}', expected: identifier`);
  const faults = validateQualifiedName(key);
  // Kubernetes has no field to name here, and says so.
  if (faults.length > 0) throw new TypeError(fieldErrorText(fieldInvalid("<nil>", key, faults.join("; "))));
  if (absent) return newRequirement(key, "!", []);
  if (tokens.peek() === end || tokens.peek() === ",") return newRequirement(key, "exists", []);
  const operator = readOperator(tokens);
  const values = operator === "in" || operator === "notin" ? readValues(tokens) : [readExactValue(tokens)];
  return newRequirement(key, operator, [...new Set(values)].toSorted());
}

function readOperator(tokens: Tokens): SelectorOperator {
  const literal = tokens.take();
  const operator = operators.get(literal);
  if (operator !== undefined) return operator;
  throw new TypeError(`found '${literal}', expected: in, notin, =, ==, !=, gt, lt`);
}

const operators: ReadonlyMap<string, SelectorOperator> = new Map([
  ["in", "in"],
  ["notin", "notin"],
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  [">", "gt"],
  ["<", "lt"],
]);

/** A list in parentheses, where a missing value is the empty one: `()` is one, `(a,)` are two. */
function readValues(tokens: Tokens): string[] {
  const open = tokens.take();
  if (open !== "(") throw new TypeError(`found '${open}' expected: '('`);
  const first = tokens.peek();
  if (!isIdentifier(first) && first !== "," && first !== ")") {
    throw new TypeError(`found '${first}', expected: ',', ')' or identifier`);
  }
  const values: string[] = [];
  for (;;) {
    const literal = tokens.peek();
    if (isIdentifier(literal)) values.push(tokens.take());
    else if (literal === "," || literal === ")") values.push("");
    else throw new TypeError(`found '${literal}', expected: ',', or identifier`);
    const separator = tokens.take();
    if (separator === ")") return values;
    if (separator !== ",") throw new TypeError(`found '${separator}', expected: ',' or ')'`);
  }
}

function readExactValue(tokens: Tokens): string {
  if (tokens.peek() === end || tokens.peek() === ",") return "";
  const literal = tokens.take();
  if (isIdentifier(literal)) return literal;
  throw new TypeError(`found '${literal}', expected: identifier`);
}
