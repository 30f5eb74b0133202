import type { Call, Entry, Expression, Struct } from "./expression.ts";
import type { Issues } from "./issues.ts";
import { literalOf } from "./literals.ts";
import { expandMacro } from "./macros.ts";
import { tokensOf, type Token, type TokenKind } from "./tokens.ts";

/** Parses an expression and expands its macros. With issues, what is given may not be used. */
export function parse(source: string, issues: Issues): Expression | undefined {
  const size = Array.from(source).length;
  if (size > longest) {
    issues.add(-1, `expression code point size exceeds limit: size: ${size}, limit ${longest}`);
    return undefined;
  }
  try {
    return new Parser(tokensOf(source, issues), issues).whole();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return undefined;
  }
}

/** Characters that an expression may have. */
const longest = 100_000;
/** How deep an expression may be nested. */
const deepest = 250;

/** Thrown when an error was told and parsing cannot go on. */
class Stop extends Error {}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #issues: Issues;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], issues: Issues) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  whole(): Expression {
    const expression = this.#expression();
    const { kind, text, at } = this.#token;
    if (kind === "<EOF>") return expression;
    const lonely = this.#tokens[this.#next + 1]?.kind === "<EOF>";
    this.#issues.add(
      at,
      `Syntax error: ${lonely ? "extraneous" : "mismatched"} input '${text}' expecting <EOF>`,
    );
    throw new Stop();
  }

  get #token(): Token {
    return this.#tokens[this.#next] ?? { kind: "<EOF>", text: "<EOF>", at: 0 };
  }

  #is(...kinds: readonly TokenKind[]): boolean {
    return kinds.includes(this.#token.kind);
  }

  #take(): Token {
    const token = this.#token;
    if (token.kind !== "<EOF>") this.#next += 1;
    return token;
  }

  /** Takes a token of this kind, or says that it should be here: what could come after it makes it seem left out. */
  #expect(kind: TokenKind): Token {
    if (this.#is(kind)) return this.#take();
    const { text, at, kind: found } = this.#token;
    const closes = kind === "')'" || kind === "']'" || kind === "'}'";
    if (closes && afterOperand.has(found)) return this.#refuse(at, `missing ${kind} at '${text}'`);
    const extraneous = this.#tokens[this.#next + 1]?.kind === kind;
    return this.#refuse(at, `${extraneous ? "extraneous" : "mismatched"} input '${text}' expecting ${kind}`);
  }

  #refuse(at: number, message: string): never {
    this.#issues.add(at, `Syntax error: ${message}`);
    throw new Stop();
  }

  #deeper<T>(parsed: () => T): T {
    this.#depth += 1;
    if (this.#depth > deepest) this.#tooDeep();
    const result = parsed();
    this.#depth -= 1;
    return result;
  }

  #tooDeep(): never {
    this.#issues.add(-1, `expression recursion limit exceeded: ${deepest}`);
    throw new Stop();
  }

  #expression(): Expression {
    return this.#deeper(() => {
      const condition = this.#or();
      if (!this.#is("'?'")) return condition;
      const { at } = this.#take();
      const yes = this.#or();
      this.#expect("':'");
      const no = this.#expression();
      return call(at, "_?_:_", [condition, yes, no]);
    });
  }

  #or(): Expression {
    return this.#logic("'||'", "_||_", () => this.#logic("'&&'", "_&&_", () => this.#relation()));
  }

  /** Terms of `&&` or `||`, as a tree that is as flat as it can be: a thousand of them are ten deep. */
  #logic(kind: TokenKind, name: string, term: () => Expression): Expression {
    const terms = [term()];
    const operators: number[] = [];
    while (this.#is(kind)) {
      operators.push(this.#take().at);
      terms.push(term());
    }
    return balanced({ terms, operators, name }, 0, operators.length);
  }

  #relation(): Expression {
    return this.#chain(relations, () => this.#sum());
  }

  #sum(): Expression {
    return this.#chain(sums, () => this.#chain(products, () => this.#unary()));
  }

  #chain(operators: ReadonlyMap<TokenKind, string>, operand: () => Expression): Expression {
    let left = operand();
    for (let length = 1; ; length += 1) {
      const name = operators.get(this.#token.kind);
      if (name === undefined) return left;
      if (length >= deepest) this.#tooDeep();
      const { at } = this.#take();
      left = call(at, name, [left, operand()]);
    }
  }

  #unary(): Expression {
    const kind = this.#token.kind;
    if (kind !== "'!'" && kind !== "'-'") return this.#member();
    const after = this.#tokens[this.#next + 1]?.kind;
    if (kind === "'-'" && (after === "NUM_INT" || after === "NUM_FLOAT")) return this.#member();
    const { at } = this.#token;
    let count = 0;
    while (this.#is(kind)) {
      this.#take();
      count += 1;
    }
    const operand = this.#member();
    return count % 2 === 0 ? operand : call(at, kind === "'!'" ? "!_" : "-_", [operand]);
  }

  #member(): Expression {
    let operand = this.#primary();
    for (let length = 1; ; length += 1) {
      if (!this.#is("'.'", "'['")) return operand;
      if (length >= deepest) this.#tooDeep();
      operand = this.#is("'.'") ? this.#selection(operand) : this.#index(operand);
    }
  }

  #selection(operand: Expression): Expression {
    const { at } = this.#take();
    const optional = this.#is("'?'") && this.#take() !== undefined;
    if (this.#is("ESC_IDENTIFIER")) {
      this.#issues.add(this.#token.at, "unsupported syntax: '`'");
      throw new Stop();
    }
    if (!this.#is("IDENTIFIER")) {
      const { kind, text, at: here } = this.#token;
      this.#refuse(
        here,
        `no viable alternative at input '.${optional ? "?" : ""}${kind === "<EOF>" ? "" : text}'`,
      );
    }
    const name = this.#take();
    if (optional) {
      return call(at, "_?._", [operand, { kind: "literal", at: name.at, value: name.text }]);
    }
    if (!this.#is("'('")) return { kind: "select", at, operand, field: name.text, test: false };
    const open = this.#take();
    return this.#called({ kind: "call", at: open.at, name: name.text, target: operand, args: this.#args() });
  }

  #index(operand: Expression): Expression {
    const { at } = this.#take();
    const optional = this.#is("'?'") && this.#take() !== undefined;
    const index = this.#expression();
    this.#expect("']'");
    return call(at, optional ? "_[?_]" : "_[_]", [operand, index]);
  }

  /** The arguments after an open parenthesis. */
  #args(): Expression[] {
    const args: Expression[] = [];
    if (!this.#is("')'")) {
      do args.push(this.#expression());
      while (this.#is("','") && this.#take() !== undefined);
    }
    this.#expect("')'");
    return args;
  }

  #called(parsed: Call): Expression {
    const expanded = expandMacro(parsed);
    if (expanded === undefined) return parsed;
    if (!("wrong" in expanded)) return expanded;
    this.#issues.add(expanded.at, expanded.wrong);
    return { kind: "literal", at: parsed.at, value: null };
  }

  #primary(): Expression {
    const { kind, at, text } = this.#token;
    switch (kind) {
      case "'('": {
        this.#take();
        const inside = this.#expression();
        this.#expect("')'");
        return inside;
      }
      case "'['":
        return this.#list();
      case "'{'":
        return this.#map();
      case "'.'":
      case "IDENTIFIER":
        return this.#name();
      case "'-'": {
        this.#take();
        return this.#literal(at, true);
      }
      case "NUM_INT":
      case "NUM_UINT":
      case "NUM_FLOAT":
      case "STRING":
      case "BYTES":
      case "'true'":
      case "'false'":
      case "'null'":
        return this.#literal(at, false);
      default: {
        // One token too many is passed over, if an operand begins after it.
        const extraneous =
          kind !== "<EOF>" && operandBegins.has(this.#tokens[this.#next + 1]?.kind ?? "<EOF>");
        const passed = extraneous || this.#tokens[this.#next - 1]?.kind === "'!'";
        const message = `${passed ? "extraneous" : "mismatched"} input '${text}' expecting ${beginnings}`;
        if (!extraneous) this.#refuse(at, message);
        this.#issues.add(at, `Syntax error: ${message}`);
        this.#take();
        return this.#unary();
      }
    }
  }

  #literal(at: number, negative: boolean): Expression {
    const found = literalOf(this.#take(), negative);
    if ("value" in found) return { kind: "literal", at, value: found.value };
    this.#issues.add(at, found.wrong);
    return { kind: "literal", at, value: null };
  }

  #name(): Expression {
    const start = this.#token.at;
    const dot = this.#is("'.'") ? this.#take().text : "";
    const { text, at } = this.#expect("IDENTIFIER");
    const message = this.#message(`${dot}${text}`);
    if (message !== undefined) return message;
    if (reserved.has(text)) {
      this.#issues.add(start, `reserved identifier: ${text}`);
      if (this.#is("'('")) {
        this.#take();
        this.#args();
      }
      return { kind: "literal", at, value: null };
    }
    if (!this.#is("'('")) return { kind: "ident", at, name: `${dot}${text}` };
    const open = this.#take();
    return this.#called({
      kind: "call",
      at: open.at,
      name: `${dot}${text}`,
      target: undefined,
      args: this.#args(),
    });
  }

  /** `name.of.a.Type{…}`, if that is what follows. */
  #message(first: string): Struct | undefined {
    let at = this.#next;
    let name = first;
    while (this.#tokens[at]?.kind === "'.'" && this.#tokens[at + 1]?.kind === "IDENTIFIER") {
      name += `.${this.#tokens[at + 1]?.text}`;
      at += 2;
    }
    if (this.#tokens[at]?.kind !== "'{'") return undefined;
    this.#next = at;
    const open = this.#take();
    const fields: Struct["fields"][number][] = [];
    while (!this.#is("'}'")) {
      const optional = this.#is("'?'");
      if (optional) this.#take();
      const field = this.#expect("IDENTIFIER");
      const colon = this.#expect("':'");
      fields.push({ at: colon.at, name: field.text, value: this.#expression(), optional });
      if (!this.#is("','")) break;
      this.#take();
    }
    this.#expect("'}'");
    return { kind: "struct", at: open.at, name, fields };
  }

  #list(): Expression {
    const { at } = this.#take();
    const elements: Expression[] = [];
    const optional = new Set<number>();
    while (!this.#is("']'")) {
      if (this.#is("'?'")) {
        this.#take();
        optional.add(elements.length);
      }
      elements.push(this.#expression());
      if (!this.#is("','")) break;
      this.#take();
      if (this.#is("<EOF>")) break;
    }
    this.#expect("']'");
    return { kind: "list", at, elements, optional };
  }

  #map(): Expression {
    const { at } = this.#take();
    const entries: Entry[] = [];
    while (!this.#is("'}'")) {
      const optional = this.#is("'?'") && this.#take() !== undefined;
      const key = this.#expression();
      const colon = this.#expect("':'");
      entries.push({ at: colon.at, key, value: this.#expression(), optional });
      if (!this.#is("','")) break;
      this.#take();
    }
    this.#expect("'}'");
    return { kind: "map", at, entries };
  }
}

function call(at: number, name: string, args: readonly Expression[]): Expression {
  return { kind: "call", at, name, target: undefined, args };
}

interface Terms {
  readonly terms: readonly Expression[];
  readonly operators: readonly number[];
  readonly name: string;
}

function balanced(all: Terms, from: number, to: number): Expression {
  const { terms, operators, name } = all;
  if (from === to) return terms[from] ?? { kind: "literal", at: -1, value: null };
  const middle = Math.floor((from + to) / 2);
  return call(operators[middle] ?? -1, name, [balanced(all, from, middle), balanced(all, middle + 1, to)]);
}

const relations = new Map<TokenKind, string>([
  ["'<'", "_<_"],
  ["'<='", "_<=_"],
  ["'>='", "_>=_"],
  ["'>'", "_>_"],
  ["'=='", "_==_"],
  ["'!='", "_!=_"],
  ["'in'", "@in"],
]);

const sums = new Map<TokenKind, string>([
  ["'+'", "_+_"],
  ["'-'", "_-_"],
]);

const products = new Map<TokenKind, string>([
  ["'*'", "_*_"],
  ["'/'", "_/_"],
  ["'%'", "_%_"],
]);

/** Names that CEL keeps for other languages. */
const reserved = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** What may come after an operand, and is not a part of it. */
const afterOperand: ReadonlySet<TokenKind> = new Set([
  "<EOF>",
  "')'",
  "']'",
  "'}'",
  "','",
  "':'",
  "'?'",
] as const);

const operandBegins: ReadonlySet<TokenKind> = new Set([
  "'['",
  "'{'",
  "'('",
  "'.'",
  "'-'",
  "'!'",
  "'true'",
  "'false'",
  "'null'",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
] as const);

const beginnings =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
