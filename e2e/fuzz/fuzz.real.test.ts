import { seededRandom } from "@kedge/machinery";
import { beforeAll, expect, it } from "vitest";
import { oracleServer } from "../differential/oracle-server.ts";
import { ourServer } from "../differential/our-server.ts";
import { describeDifferences } from "../differential/transcript/compare.ts";
import { startOracle } from "../real/oracle.ts";
import { fuzzKinds } from "./fuzz-kinds.ts";
import { live, type Lived } from "./live.ts";
import { prepare } from "./prepare.ts";

/** `KEDGE_TEST_SEED=<number>` tries others. */
const seed = process.env["KEDGE_TEST_SEED"] ?? "20261115";
/** So many objects of each kind. */
const lives = Number(process.env["KEDGE_FUZZ_LIVES"] ?? "20");

/** Of these kinds only, separated by commas; all unless given. */
const wanted = process.env["KEDGE_FUZZ_KINDS"]?.split(",");
const kinds = fuzzKinds.filter(({ kind }) => wanted?.includes(kind) ?? true);

const lived = new Map<string, readonly Lived[]>();

beforeAll(async () => {
  await using oracle = await startOracle();
  const real = oracleServer(oracle);
  const ours = await ourServer();
  const pair = { real, ours };
  await prepare(pair);
  await Promise.all(
    kinds.map(async (kind) => {
      const random = seededRandom(`${seed}/${kind.kind}`);
      const results: Lived[] = [];
      for (let number = 1; number <= lives; number++) {
        results.push(await live(pair, kind, { random, name: `${kind.kind.toLowerCase()}-${number}` }));
      }
      lived.set(kind.kind, results);
    }),
  );
  await ours.close();
  await real.close();
});

it.for(kinds.map(({ kind }) => kind))(
  `our server answers about any %s as the real one (seed ${seed})`,
  async (kind, { annotate }) => {
    const results = lived.get(kind) ?? [];
    const compared = results.reduce((sum, result) => sum + result.compared, 0);
    await annotate(`${compared} requests compared`, "count");
    expect(compared).toBeGreaterThan(lives);
    expect(results.map(described).join("")).toBe("");
  },
);

/** The differences of a life, each with what was sent. */
function described({ differences, sent }: Lived): string {
  return differences
    .map(
      (difference) => `${describeDifferences([difference])}    sent     ${sent[difference.step - 1] ?? ""}\n`,
    )
    .join("");
}
