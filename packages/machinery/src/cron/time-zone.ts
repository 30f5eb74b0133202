/** A time zone: what its clocks show. */
export interface TimeZone {
  readonly name: string;
  /** How far its clocks are ahead of UTC at a time, both in milliseconds. */
  offsetAt(time: number): number;
}

/** The time zone without surprises. */
export const utc: TimeZone = { name: "UTC", offsetAt: () => 0 };

const zones = new Map<string, TimeZone | undefined>();
/** There are about 600 names. */
const mostZones = 1000;

/** A zone of the IANA database by its name, or undefined. Names are case-sensitive, as files are. */
export function timeZone(name: string): TimeZone | undefined {
  if (name === "" || name === "UTC") return utc;
  if (!zones.has(name)) {
    if (zones.size >= mostZones) zones.clear();
    zones.set(name, loadZone(name));
  }
  return zones.get(name);
}

function loadZone(name: string): TimeZone | undefined {
  // Other words for an offset, such as +01:00, are no names of the database.
  if (!/^[A-Z][\w+-]*(?:\/[\w+-]+)*$/u.test(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { ...numeric, timeZone: name });
  } catch {
    return undefined;
  }
  const { timeZone: resolved } = format.resolvedOptions();
  if (resolved !== name && resolved.toLowerCase() === name.toLowerCase()) return undefined;
  return { name, offsetAt: remembered((time) => wallClock(format, time) - time) };
}

const numeric = {
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
} as const;

/** What the clocks show, as if it were UTC. */
function wallClock(format: Intl.DateTimeFormat, time: number): number {
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const wall = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return wall + (((time % 1000) + 1000) % 1000);
}

/** Clocks are changed at the full quarter of an hour, so one question answers for all of it. */
function remembered(offsetAt: (time: number) => number): (time: number) => number {
  const known = new Map<number, number>();
  return (time) => {
    const quarter = Math.floor(time / quarterHour);
    let offset = known.get(quarter);
    if (offset === undefined) {
      offset = offsetAt(quarter * quarterHour);
      if (known.size >= 1000) known.clear();
      known.set(quarter, offset);
    }
    return offset;
  };
}

const quarterHour = 15 * 60_000;

/** The first time at which the clocks of a zone show this or more; `wall` is that as if it were UTC. */
export function firstTimeAt(zone: TimeZone, wall: number): number {
  const day = 24 * 3_600_000;
  const offsets = [zone.offsetAt(wall - day), zone.offsetAt(wall + day)];
  const early = wall - Math.max(...offsets);
  return early + zone.offsetAt(early) >= wall ? early : wall - Math.min(...offsets);
}
