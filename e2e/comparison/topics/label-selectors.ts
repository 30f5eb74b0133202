import { messageOf, parseSelector, seededRandom, selectorMatches, type Random } from "@kedge/machinery";
import { chance, distinct, oneOf, some, weighted } from "../generate/choose.ts";
import { mustWork } from "../server.ts";
import { topic, type Refusal } from "../topic.ts";

/** The labelled objects that a selector chooses, by their names. */
type Reply = readonly string[] | Refusal;

/** Which objects a label selector chooses. */
export const labelSelectors = topic<string, Reply, null>({
  name: "label-selectors",
  inputs: (seed) => {
    const random = seededRandom(`${seed}label selectors`);
    return [...new Set([...distinct(330, () => selector(random)), ...oddities])];
  },
  titleOf: (input) => JSON.stringify(input),
  prepare: async ({ server, namespace }) => {
    for (const [name, labels] of labelled()) {
      const body = { metadata: { name, labels } };
      await mustWork(
        server.ask({ method: "POST", path: `/api/v1/namespaces/${namespace}/configmaps`, body }),
      );
    }
    return null;
  },
  ask: async ({ server, namespace }, labelSelector) => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const { status, body } = await server.ask({ method: "GET", path, query: { labelSelector } });
    if (status >= 300) return { status, text: String(body["message"]) };
    const { items } = body as { items: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => metadata.name);
  },
  ours: ({ input }) => {
    try {
      const parsed = parseSelector(input);
      return [...labelled()].filter(([, labels]) => selectorMatches(parsed, labels)).map(([name]) => name);
    } catch (error) {
      return { status: 400, text: messageOf(error) };
    }
  },
});

const keys = ["app", "tier", "example.com/part", "n", "in", "constructor"];
const values = ["", "a", "b", "web", "3", "10", "05", "A.b_c"];

/** In the order in which the server lists them. */
function labelled(): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const random = seededRandom("labelled objects");
  return new Map(
    Array.from({ length: 24 }, (_, index) => [
      `o${String(index).padStart(2, "0")}`,
      Object.fromEntries(some(random, [0, 4], () => [oneOf(random, keys), oneOf(random, values)])),
    ]),
  );
}

/** Texts that are wrong, or nearly. */
const oddities = [
  "",
  " ",
  ",",
  "a,",
  ",a",
  "a,,b",
  "!",
  "!!a",
  "! a",
  "!a=b",
  "a b",
  "a=",
  "a==",
  "a!=",
  "a===b",
  "a=b=c",
  "a=b c",
  "a in",
  "a in b",
  "a in (",
  "a in ()",
  "a in (,)",
  "a in (b",
  "a in (b,",
  "a in (b,)",
  "a in (b c)",
  "a in (b)c",
  "a notin ()",
  "notin in (in)",
  "in in (in, notin)",
  "in",
  "notin",
  "a>1",
  "a<1",
  "a>b",
  "a>",
  "a>1.5",
  "a > 3",
  "n>-6,n<4",
  "a>9223372036854775808",
  "(a)",
  "a)",
  "a(b)",
  "=b",
  "==",
  "/a=b",
  "a/=b",
  "a/b/c=d",
  "-a=b",
  "a-=b",
  "a=-b",
  "a=b-",
  "A_B.c=d",
  "é=a",
  "a=é",
  "a=\tb",
  "a\n=b",
  "UPPER.com/a=b",
  "a.b.c/d",
  "a=b,a=c",
  "a=(b)",
  "a!b",
  "a!=b,!c",
  "a in (b,b)",
  `${"k".repeat(63)}=a`,
  `${"k".repeat(64)}=a`,
  `a=${"v".repeat(63)}`,
  `a=${"v".repeat(64)}`,
  `${"p".repeat(254)}/a=b`,
];

function selector(random: Random): string {
  const separator = oneOf(random, [",", ",", ", ", " , "]);
  const text = some(random, [1, 3], () => requirement(random)).join(separator);
  return chance(random, 12) ? damaged(random, text) : text;
}

function requirement(random: Random): string {
  const key = oneOf(random, [...keys, "absent"]);
  const value = (): string => oneOf(random, values);
  const list = (): string => some(random, [1, 4], value).join(oneOf(random, [",", ", "]));
  const space = oneOf(random, ["", " "]);
  return weighted(random, [
    [3, () => `${key}${space}${oneOf(random, ["=", "==", "!="])}${space}${value()}`],
    [3, () => `${key} ${oneOf(random, ["in", "notin"])} ${space}(${list()})`],
    [2, () => `${oneOf(random, ["", "!", "! "])}${key}`],
    [
      2,
      () =>
        `${key}${space}${oneOf(random, ["<", ">"])}${space}${oneOf(random, ["0", "3", "-5", "9", "011", "+3", "x", "1.5", ""])}`,
    ],
  ]);
}

/** With a character taken out or put in. */
function damaged(random: Random, text: string): string {
  const at = random.int(text.length + 1);
  const put = oneOf(random, ["", "", "(", ")", ",", "=", "!", ">", " ", "/", "-", "$"]);
  return text.slice(0, at) + put + text.slice(put === "" ? at + 1 : at);
}
