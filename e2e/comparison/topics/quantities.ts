import { messageOf, parseQuantity, quantityToString, seededRandom, type Random } from "@kedge/machinery";
import { chance, distinct, oneOf, some, weighted } from "../generate/choose.ts";
import { topic, type Refusal } from "../topic.ts";

/** A quantity as it is sent: a text or a number. */
type Input = string | number;

/** The canonical form of quantities. */
export const quantities = topic<Input, string | Refusal, null>({
  name: "quantities",
  inputs,
  titleOf: (input) => JSON.stringify(input),
  prepare: () => Promise.resolve(null),
  ask: async ({ server }, input) => {
    // Of all built-in kinds this one takes quantities of any sign, and does not round them to thousandths.
    const { status, body } = await server.ask({
      method: "POST",
      path: "/apis/resource.k8s.io/v1/resourceslices",
      query: { dryRun: "All" },
      body: {
        metadata: { name: "slice" },
        spec: {
          driver: "example.com",
          nodeName: "node",
          pool: { name: "pool", generation: 1, resourceSliceCount: 1 },
          devices: [{ name: "device", capacity: { x: { value: input } } }],
        },
      },
    });
    if (status >= 300) return { status, text: String(body["message"]).replace(decoding, "") };
    const { spec } = body as { spec: { devices: { capacity: { x: { value: string } } }[] } };
    return spec.devices[0]?.capacity.x.value ?? "";
  },
  ours: ({ input }) => {
    try {
      return withoutLostSuffix(quantityToString(parseQuantity(input)));
    } catch (error) {
      return { status: 400, text: messageOf(error) };
    }
  },
});

/** Kubernetes forgets the suffix of whole multiples of 1000E, and with it the amount. That we do not do. */
function withoutLostSuffix(text: string): string {
  return text.replace(/(?:000)+E$/u, "");
}

/** How the server says that a part of the body could not be read. */
const decoding = /^ResourceSlice in version "v1" cannot be handled as a ResourceSlice: /u;

function inputs(seed: string): Input[] {
  const random = seededRandom(`${seed}quantities`);
  const known = [
    "0",
    "-0",
    "+0",
    "0.0",
    "0Ki",
    "1",
    "0.5",
    "1.5",
    "100m",
    "1500m",
    "1000m",
    "1024",
    "1024Ki",
    "1023Ki",
  ];
  const texts = distinct(420, () => anyQuantity(random));
  const numbers = [0, 1, -1, 0.5, 1.5, 1e3, 1e-3, 1e-9, 1e-10, 123456789012, 0.1];
  return [...new Set([...known, ...texts]), ...numbers];
}

const suffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

function anyQuantity(random: Random): string {
  const sign = oneOf(random, ["", "", "", "-", "+"]);
  return weighted(random, [
    [10, () => `${sign}${number(random)}${oneOf(random, suffixes)}`],
    [
      3,
      () =>
        `${sign}${number(random)}${oneOf(random, ["e", "E"])}${oneOf(random, ["", "-", "+"])}${random.int(24)}`,
    ],
    [3, () => broken(random)],
  ]);
}

function number(random: Random): string {
  const whole = weighted(random, [
    [4, () => digits(random, 1, 4)],
    [2, () => digits(random, 5, 12)],
    [1, () => digits(random, 13, 24)],
    [2, () => `${1 + random.int(9)}${"0".repeat(random.int(12))}`],
    [1, () => `${1024 * (1 + random.int(4096))}`],
    [1, () => ""],
  ]);
  if (!chance(random, 40)) return whole === "" ? "7" : whole;
  return `${whole}.${weighted(random, [
    [6, () => digits(random, 1, 4)],
    [1, () => digits(random, 8, 13)],
    [1, () => ""],
  ])}`;
}

function digits(random: Random, least: number, most: number): string {
  return some(random, [least, most], () => random.int(10)).join("");
}

function broken(random: Random): string {
  return weighted(random, [
    [
      2,
      () =>
        oneOf(random, [
          "",
          "-",
          "+",
          ".",
          "m",
          "Ki",
          "e3",
          "1e",
          "1e+",
          "--1",
          "1.2.3",
          "1_000",
          "1,5",
          "0x10",
          "é",
          "NaN",
          "Inf",
        ]),
    ],
    [
      3,
      () =>
        `${number(random)}${oneOf(random, ["K", "ki", "mi", "MI", "kk", "mm", "i", "Zi", "e1.5", "E3m", "Kii", "e", "ee3", "EE3", "En", "in"])}`,
    ],
    [1, () => `${digits(random, 1, 3)} ${oneOf(random, suffixes)}x`],
  ]);
}
