import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RedisFailure } from "./failure.ts";
import { encodeCommands, encodeReply, ReplyReader } from "./resp.ts";
import type { Reply } from "./types.ts";

const read = (text: string, mostBytes = 1024): readonly Reply[] =>
  new ReplyReader(mostBytes).push(Buffer.from(text));

describe("encodeCommands", () => {
  it("counts bytes, not characters", () => {
    expect(encodeCommands([["SET", "ä", ""]]).toString()).toBe("*3\r\n$3\r\nSET\r\n$2\r\nä\r\n$0\r\n\r\n");
  });
});

describe("ReplyReader", () => {
  it.each([
    ["+OK\r\n", ["OK"]],
    [":-5\r\n", [-5]],
    ["$-1\r\n*-1\r\n", [null, null]],
    ["$4\r\na\r\nb\r\n", ["a\r\nb"]],
    ["*0\r\n", [[]]],
    ["*2\r\n*1\r\n:1\r\n$1\r\nx\r\n+next\r\n", [[[1], "x"], "next"]],
  ] as const)("reads %j", (text, replies) => {
    expect(read(text)).toEqual(replies);
  });

  it.each(["LOADING", "MASTERDOWN", "NOREPLICAS", "READONLY", "BUSY", "OOM", "MISCONF", "NOAUTH", "NOPERM"])(
    "gives %s as a value",
    (code) => {
      const [first, second] = read(`-${code} in words\r\n:1\r\n`);
      expect(first).toBeInstanceOf(RedisFailure);
      expect(first).toMatchObject({ code, message: `${code} in words`, isReply: true });
      expect(second).toBe(1);
    },
  );

  it("takes an error that it does not know as ERR", () => {
    expect(read("-STRANGE thing\r\n")).toMatchObject([{ code: "ERR", message: "STRANGE thing" }]);
  });

  it("reads the same whatever the pieces are", () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
    const { reply } = fc.letrec<{ reply: Reply }>((tie) => ({
      reply: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie("reply"), { maxLength: 4 })),
    }));
    fc.assert(
      fc.property(fc.array(reply, { maxLength: 5 }), fc.integer({ min: 1, max: 9 }), (replies, size) => {
        const bytes = Buffer.from(replies.map((one) => encodeReply(one)).join(""));
        const reader = new ReplyReader(64 * 1024);
        const found: Reply[] = [];
        for (let at = 0; at < bytes.length; at += size)
          found.push(...reader.push(bytes.subarray(at, at + size)));
        expect(found).toEqual(replies);
        expect(reader.isInside).toBe(false);
      }),
    );
  });

  it.each([
    ["a text that is too long", "$2000\r\n", "TOOLARGE"],
    ["a list that is too long", "*100000000\r\n", "TOOLARGE"],
    ["many small ones in a list", `*250\r\n${":1234567\r\n".repeat(250)}`, "TOOLARGE"],
    ["lists in lists", "*1\r\n".repeat(20), "PROTOCOL"],
    ["a line without an end", "+".padEnd(9000, "x"), "PROTOCOL"],
    ["a web server", "HTTP/1.1 400 Bad Request\r\n", "PROTOCOL"],
    ["a length that is no number", "$x\r\n", "PROTOCOL"],
  ])("refuses %s", (_name, text, code) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code }));
  });

  it("works in proportion to what comes, byte by byte", () => {
    const reader = new ReplyReader(1024 * 1024);
    const bytes = Buffer.from(`*20000\r\n${"$4\r\nabcd\r\n".repeat(20_000)}`);
    let last: readonly Reply[] = [];
    for (let at = 0; at < bytes.length; at += 1) last = reader.push(bytes.subarray(at, at + 1));
    expect(last).toHaveLength(1);
  });
});
