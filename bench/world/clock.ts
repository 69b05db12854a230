// The machine's monotonic clock, shared by all its processes.

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
