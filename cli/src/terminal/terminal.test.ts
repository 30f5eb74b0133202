import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { terminalOn, type Terminal } from "./terminal.ts";

interface Setting {
  readonly isTTY?: boolean;
  readonly colours?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

function start({ isTTY = true, colours = false, env = {} }: Setting): {
  terminal: Terminal;
  clock: VirtualClock;
  written: string[];
} {
  const clock = new VirtualClock();
  const written: string[] = [];
  const stdout = {
    isTTY,
    columns: 20,
    hasColors: () => colours,
    write: (text: string) => written.push(text),
  };
  return { terminal: terminalOn({ stdout, env }, clock), clock, written };
}

describe("progress", () => {
  it("shows what is waited for and the time passed, and is taken away before anything else is printed", async () => {
    const { terminal, clock, written } = start({});
    terminal.waitFor("lint");
    await clock.advance(2000);
    expect(written.at(-1)).toMatch(/lint {2}2s$/u);

    written.length = 0;
    terminal.print("done\n");
    expect(written.slice(0, 2)).toEqual(["\r\u001B[2K", "done\n"]);

    terminal.clear();
    written.length = 0;
    await clock.advance(1000);
    expect(written).toEqual([]);
  });

  it("never wraps: a line that is too long is cut", () => {
    const { terminal, written } = start({});
    terminal.waitFor("a name that is longer than the terminal is wide");
    expect(written.at(-1)?.replace("\r\u001B[2K", "")).toHaveLength(19);
  });

  it.each([
    ["a file or a pipe", { isTTY: false }],
    ["CI", { env: { CI: "true" } }],
    ["a dumb terminal", { env: { TERM: "dumb" } }],
  ])("is not shown on %s", async (_where, setting) => {
    const { terminal, clock, written } = start(setting);
    terminal.waitFor("lint");
    await clock.advance(5000);
    terminal.clear();
    expect(written).toEqual([]);
  });
});

describe("colours", () => {
  it("are used on a terminal that has them", () => {
    const { terminal, written } = start({ colours: true });
    terminal.print(terminal.style("red", "no"));
    expect(written).toEqual(["\u001B[31mno\u001B[39m"]);
  });

  it("are taken out of what other programs print where none are wanted", () => {
    const { terminal, written } = start({ colours: false });
    terminal.print(`${terminal.style("red", "no")} \u001B[32myes\u001B[39m`);
    expect(written).toEqual(["no yes"]);
  });
});
