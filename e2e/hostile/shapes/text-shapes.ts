import { patch, post, repeat, type Shape } from "./shape.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const map = `${maps}/target`;

type Text = (pieces: number) => string;

/** What is costly to parse: depth, keys, numbers, escapes. */
const texts: readonly (readonly [name: string, most: number, text: Text])[] = [
  ["deep lists", 1_500_000, (n) => `{"a":${"[".repeat(n)}${"]".repeat(n)}}`],
  ["deep objects", 500_000, (n) => `${'{"a":'.repeat(n)}1${"}".repeat(n)}`],
  ["lists that do not end", 3_000_000, (n) => "[".repeat(n)],
  ["objects that do not end", 600_000, (n) => '{"a":'.repeat(n)],
  ["keys", 150_000, (n) => object(`"data":{${repeat(n, (at) => `"k${at}":"v"`)}}`)],
  ["the same key", 300_000, (n) => object(`"data":{${repeat(n, () => `"k":"v"`)}}`)],
  ["unknown fields", 200_000, (n) => object(repeat(n, (at) => `"u${at}":1`))],
  ["unknown fields twice", 100_000, (n) => object(repeat(n, (at) => `"u${at % (n / 2)}":1`))],
  ["a list of numbers", 1_400_000, (n) => object(`"x":[${repeat(n, () => "1")}]`)],
  ["a long number", 3_000_000, (n) => object(`"x":${"1".repeat(n)}`)],
  ["one long text", 3_000_000, (n) => object(`"data":{"a":"${"x".repeat(n)}"}`)],
  ["escapes", 500_000, (n) => object(`"data":{"a":"${String.raw`\u0041`.repeat(n)}"}`)],
  ["quotes", 1_400_000, (n) => object(`"data":{"a":"${String.raw`\"`.repeat(n)}"}`)],
  ["white space", 3_000_000, (n) => object(`"data":${" ".repeat(n)}{}`)],
  ["empty objects", 1_000_000, (n) => object(`"x":[${repeat(n, () => "{}")}]`)],
];

/** What only YAML has. */
const yamlTexts: readonly (readonly [name: string, most: number, text: Text])[] = [
  ["block keys", 200_000, (n) => `${head}data:\n${repeat(n, (at) => `  k${at}: v`, "\n")}\n`],
  ["the same block key", 400_000, (n) => `${head}data:\n${repeat(n, () => `  k: v`, "\n")}\n`],
  ["deep block maps", 2_000, (n) => `${head}${repeat(n, (at) => `${" ".repeat(at)}a:`, "\n")}\n`],
  ["deep block lists", 500_000, (n) => `${head}x:\n${"- ".repeat(n)}1\n`],
  ["block items", 500_000, (n) => `${head}x:\n${repeat(n, () => "- 1", "\n")}\n`],
  ["anchors", 100_000, (n) => `${head}x:\n${repeat(n, (at) => `- &a${at} 1`, "\n")}\n`],
  ["anchors and aliases", 60_000, (n) => `${head}x:\n${repeat(n, (at) => `- &a${at} 1\n- *a${at}`, "\n")}\n`],
  ["one anchor, many aliases", 500_000, (n) => `${head}y: &a [1]\nx: [${repeat(n, () => "*a")}]\n`],
  [
    "aliases of aliases",
    40,
    (n) => {
      const level = (at: number): string => `a${at}: &a${at} [${repeat(9, () => `*a${at - 1}`)}]`;
      return `${head}a0: &a0 [1]\n${Array.from({ length: n }, (_, at) => level(at + 1)).join("\n")}\n`;
    },
  ],
  ["merge keys", 60_000, (n) => `${head}y: &a {b: 1}\nx:\n${repeat(n, () => "- <<: *a", "\n")}\n`],
  ["documents", 600_000, (n) => `${head}${"---\n".repeat(n)}`],
  ["comments", 1_400_000, (n) => `${head}${"#\n".repeat(n)}`],
  ["empty lines", 3_000_000, (n) => `${head}${"\n".repeat(n)}`],
  ["plain text of many lines", 1_000_000, (n) => `${head}x:${"\n  a".repeat(n)}\n`],
  ["block text of many lines", 700_000, (n) => `${head}x: |${"\n  a".repeat(n)}\n`],
  ["quoted text of many lines", 700_000, (n) => `${head}x: "${"\n  a".repeat(n)}"\n`],
  ["tags", 300_000, (n) => `${head}x:\n${repeat(n, () => "- !!str 1", "\n")}\n`],
  ["complex keys", 400_000, (n) => `${head}x:\n${repeat(n, () => "  ? a", "\n")}\n`],
  ["colons", 1_500_000, (n) => `${head}x: ${"a:".repeat(n)}\n`],
  ["dashes", 1_500_000, (n) => `${head}x: ${"- ".repeat(n)}\n`],
  ["question marks", 1_500_000, (n) => `${head}${"? ".repeat(n)}\n`],
  ["tabs", 1_500_000, (n) => `${head}x:\n${"\t".repeat(n)}a\n`],
  ["open quotes", 1_500_000, (n) => `${head}x: ${`"`.repeat(n)}\n`],
  ["percent signs", 1_500_000, (n) => `${"%a\n".repeat(n)}---\n`],
];

const typeMeta = `"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"target"}`;
const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: target}\n";

function object(more: string): string {
  return `{${typeMeta},${more}}`;
}

const target = [post(maps, `{${typeMeta}}`)];

/** Texts of JSON in every kind of request that takes some. */
export const jsonShapes: readonly Shape[] = texts.flatMap(([name, most, text]): Shape[] => [
  { name: `JSON, ${name}`, most, request: (n) => post(maps, text(n)) },
  {
    name: `JSON, ${name}, unknown fields ignored`,
    most,
    request: (n) => post(`${maps}?fieldValidation=Ignore`, text(n)),
  },
  { name: `merge patch, ${name}`, most, before: () => target, request: (n) => patch(map, "merge", text(n)) },
  {
    name: `apply, ${name}`,
    most,
    request: (n) => patch(`${map}?fieldManager=hostile&force=true`, "apply", text(n)),
  },
]);

/** Our parser takes seconds for a megabyte, in a thread: so many bytes show whether they are read there. */
const yamlBytes = 20_000;

/** Texts of YAML, created and applied by turns. */
export const yamlShapes: readonly Shape[] = [...texts, ...yamlTexts].map(([name, most, text], index) => {
  const pieces = Math.max(1, Math.min(most, Math.floor((most * yamlBytes) / text(most).length)));
  const created = index % 2 === 0;
  return {
    name: `YAML, ${name}, ${created ? "created" : "applied"}`,
    most: pieces,
    request: (n) =>
      created
        ? post(maps, text(n), "application/yaml")
        : patch(`${map}?fieldManager=hostile&force=true`, "apply", `# YAML\n${text(n)}`),
  };
});
