import { describe, expect, it } from "vitest";
import { parseSchedule } from "./schedule.ts";
import { timeZone } from "./time-zone.ts";

const at = (text: string): number => Date.parse(text);
const shown = (time: number | undefined): string =>
  time === undefined ? "never" : new Date(time).toISOString().replace(":00.000Z", "Z");

/** The next times of a schedule, in UTC. */
function nextTimes(schedule: string, after: string, count: number, zone = "UTC"): readonly string[] {
  const parsed = parseSchedule(schedule, timeZone(zone));
  const times: string[] = [];
  let time = at(after);
  for (let i = 0; i < count; i++) {
    const next = parsed.next(time);
    times.push(shown(next));
    if (next === undefined) break;
    time = next;
  }
  return times;
}

describe("a schedule", () => {
  // The first column and the expected times of the first rows are those of the library that Kubernetes uses.
  const cases: readonly [string, string, readonly string[]][] = [
    ["0/15 * * * *", "2012-07-09T14:45:00Z", ["2012-07-09T15:00Z"]],
    ["0/15 * * * *", "2012-07-09T14:59:59Z", ["2012-07-09T15:00Z"]],
    ["20-35/15 * * * *", "2012-07-09T15:45:00Z", ["2012-07-09T16:20Z"]],
    ["20-35/15 * * * *", "2012-12-31T23:59:45Z", ["2013-01-01T00:20Z"]],
    ["0 0 9 Apr-Oct ?", "2012-07-09T23:35:00Z", ["2012-08-09T00:00Z"]],
    ["0 0 9 Apr,Aug,Oct Mon", "2012-07-09T23:35:00Z", ["2012-08-06T00:00Z", "2012-08-09T00:00Z"]],
    ["0 0 9 Oct Mon", "2012-07-09T23:35:00Z", ["2012-10-01T00:00Z"]],
    ["0 0 * Feb Mon", "2012-07-09T23:35:00Z", ["2013-02-04T00:00Z"]],
    ["0 0 29 Feb ?", "2012-07-09T23:35:00Z", ["2016-02-29T00:00Z"]],
    ["0 0 30 Feb ?", "2012-07-09T23:35:00Z", ["never"]],
    ["0 0 31 Apr ?", "2012-07-09T23:35:00Z", ["never"]],
    ["@hourly", "2012-07-09T23:35:00Z", ["2012-07-10T00:00Z", "2012-07-10T01:00Z"]],
    ["@weekly", "2012-07-09T23:35:00Z", ["2012-07-15T00:00Z"]],
    ["@monthly", "2012-07-09T23:35:00Z", ["2012-08-01T00:00Z"]],
    ["@yearly", "2012-07-09T23:35:00Z", ["2013-01-01T00:00Z"]],
    ["@every 90m", "2012-07-09T23:35:00Z", ["2012-07-10T01:05Z", "2012-07-10T02:35Z"]],
    ["30 6-16/4 * * 1-5", "2026-01-02T14:31:00Z", ["2026-01-05T06:30Z", "2026-01-05T10:30Z"]],
    ["TZ=America/New_York 0 0 * * *", "2012-07-09T23:35:00Z", ["2012-07-10T04:00Z"]],
  ];
  it.each(cases)("%s after %s", (schedule, after, expected) => {
    expect(nextTimes(schedule, after, expected.length)).toEqual(expected);
  });
});

describe("a schedule where clocks are changed", () => {
  const cases: readonly [string, string, string, string, readonly string[]][] = [
    [
      "leaves out a time that clocks skip",
      "30 2 * * *",
      "America/New_York",
      "2012-03-10T12:00:00Z",
      ["2012-03-12T06:30Z"],
    ],
    [
      "comes twice when clocks show a time twice",
      "30 1 * * *",
      "America/New_York",
      "2012-11-04T00:00:00Z",
      ["2012-11-04T05:30Z", "2012-11-04T06:30Z", "2012-11-05T06:30Z"],
    ],
    [
      "goes through every hour there is, skipped ones not",
      "0 * * * *",
      "America/New_York",
      "2012-03-11T05:59:00Z",
      ["2012-03-11T06:00Z", "2012-03-11T07:00Z", "2012-03-11T08:00Z"],
    ],
    [
      "leaves out a midnight that clocks skip",
      "0 0 * * *",
      "America/Sao_Paulo",
      "2018-11-03T12:00:00Z",
      ["2018-11-05T02:00Z"],
    ],
    [
      "finds the first hour of a day that begins at one",
      "0 1 * * *",
      "America/Sao_Paulo",
      "2018-11-03T12:00:00Z",
      ["2018-11-04T03:00Z"],
    ],
    [
      "knows zones half an hour off",
      "0 9 * * *",
      "Asia/Kolkata",
      "2026-01-01T00:00:00Z",
      ["2026-01-01T03:30Z"],
    ],
  ];
  it.each(cases)("%s", (_name, schedule, zone, after, expected) => {
    expect(nextTimes(schedule, after, expected.length, zone)).toEqual(expected);
  });

  it("agrees with a walk through all minutes of a year", () => {
    const zone = timeZone("Europe/Berlin");
    const schedule = parseSchedule("*/20 1-3 * 3,10 sun", zone);
    const [begin, end] = [at("2026-01-01T00:00:00Z"), at("2027-01-01T00:00:00Z")];
    const walked: string[] = [];
    for (let time = begin; time < end; time += 60_000) {
      const wall = new Date(time + (zone?.offsetAt(time) ?? 0));
      const isMonth = [2, 9].includes(wall.getUTCMonth()) && wall.getUTCDay() === 0;
      const isHour = wall.getUTCHours() >= 1 && wall.getUTCHours() <= 3 && wall.getUTCMinutes() % 20 === 0;
      if (isMonth && isHour) walked.push(shown(time));
    }
    const found: string[] = [];
    for (let time = schedule.next(begin); time !== undefined && time < end; time = schedule.next(time)) {
      found.push(shown(time));
    }
    expect(found).toEqual(walked);
    // Nine Sundays, three hours each: one lost in March, one more in October.
    expect(found).toHaveLength(81);
  });
});

describe("a text that is no schedule is refused in the words of Kubernetes", () => {
  it.each([
    ["", "empty spec string"],
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["@sometimes", "unrecognized descriptor: @sometimes"],
    ["@every soon", 'failed to parse duration @every soon: time: invalid duration "soon"'],
    ["TZ=Moon/Base * * * * *", "provided bad location Moon/Base: unknown time zone Moon/Base"],
    ["TZ=0", "invalid schedule format: runtime error: slice bounds out of range [:-1]"],
  ])("%s", (text, message) => {
    expect(() => parseSchedule(text)).toThrow(message);
  });
});

describe("time zones", () => {
  it.each([
    ["Europe/Berlin", true],
    ["US/Pacific", true],
    ["Etc/UTC", true],
    ["GMT", true],
    ["europe/berlin", false],
    ["Europe/BERLIN", false],
    ["Moon/Base", false],
    ["+01:00", false],
    ["Local", false],
  ])("%s is known: %s", (name, isKnown) => {
    expect(timeZone(name) !== undefined).toBe(isKnown);
  });
});
