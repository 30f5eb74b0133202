import { describe, expect, it } from "vitest";
import { slowStart } from "./slow-start.ts";

/** What was under way together. */
async function batches(
  count: number,
  answer: (index: number) => boolean | Error = () => true,
): Promise<{ readonly sizes: readonly number[]; readonly outcome: unknown }> {
  const sizes: number[] = [];
  const items = Array.from({ length: count }, (_, index) => index);
  const mayGoOn = (): boolean => {
    sizes.push(0);
    return true;
  };
  const outcome = await slowStart(items, mayGoOn, async (index) => {
    sizes.push((sizes.pop() ?? 0) + 1);
    const said = answer(index);
    await Promise.resolve();
    if (said instanceof Error) throw said;
    return said;
  }).catch((error: unknown) => error);
  return { sizes, outcome };
}

describe("a slow start", () => {
  it("doubles what it does side by side, up to a limit", async () => {
    expect(await batches(100)).toEqual({ sizes: [1, 2, 4, 8, 16, 32, 32, 5], outcome: true });
  });

  it("tries once what is refused", async () => {
    const no = new Error("no");
    expect(await batches(100, () => no)).toEqual({ sizes: [1], outcome: no });
  });

  it("ends with the batch in which something failed", async () => {
    const no = new Error("no");
    expect(await batches(100, (index) => (index === 4 ? no : true))).toEqual({
      sizes: [1, 2, 4],
      outcome: no,
    });
  });

  it("ends when a call says so", async () => {
    expect(await batches(100, (index) => index < 2)).toEqual({ sizes: [1, 2], outcome: false });
  });

  it("asks before each batch whether it may go on", async () => {
    let left = 2;
    let calls = 0;
    const outcome = await slowStart(
      Array.from({ length: 10 }),
      () => left-- > 0,
      () => Promise.resolve(++calls > 0),
    );
    expect([outcome, calls]).toEqual([false, 3]);
  });
});
