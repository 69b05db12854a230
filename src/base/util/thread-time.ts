// Processor time of the calling thread, as a clock: unlike the time of day, it stands still while the machine
// does something else.

/** Milliseconds since the thread began. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
