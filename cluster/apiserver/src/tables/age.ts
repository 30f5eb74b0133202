import { parseTime } from "@kedge/machinery";
import { humanDuration } from "./human-duration.ts";

/** How long ago a time was; `<unknown>` for none. */
export function age(time: string | null | undefined, now: number): string {
  if (time === undefined || time === null || time === "") return "<unknown>";
  return humanDuration(now - parseTime(time));
}
