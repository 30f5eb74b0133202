/** Why a text is no schedule, in the words of Kubernetes. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}
