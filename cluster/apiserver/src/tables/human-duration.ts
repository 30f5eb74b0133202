/** A span of time in two or three digits, as kubectl shows ages: `5s`, `2m30s`, `47h`, `6d4h`, `3y`. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  // Clocks that differ by a second are no reason for alarm.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return withRest(minutes, "m", { rest: seconds % 60, unit: "s" });
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return withRest(hours, "h", { rest: minutes % 60, unit: "m" });
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return withRest(days, "d", { rest: hours % 24, unit: "h" });
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (years < 8) return withRest(years, "y", { rest: days % 365, unit: "d" });
  return `${years}y`;
}

function withRest(
  value: number,
  unit: string,
  rest: { readonly rest: number; readonly unit: string },
): string {
  return rest.rest === 0 ? `${value}${unit}` : `${value}${unit}${rest.rest}${rest.unit}`;
}
