/** What an evaluation ends with when it costs more than it may. */
export const costLimitExceeded = "operation cancelled: actual cost limit exceeded";
