// Times are minutes since 1970 modulo 2^16, two bytes each: 45 days, more than anything here lasts.

const MINUTE_MS = 60_000
const MASK = 0xffff

export const DAY_MINUTES = 24 * 60

export function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS)
}

export function shortened(minute: number): number {
  return minute & MASK
}

/** Minutes between a shortened minute and now. */
export function ageOf(minute: number, now: number): number {
  return (now - minute) & MASK
}

const TABLE_STEPS = 4096
const halves = new Float32Array(TABLE_STEPS + 1)
for (let i = 0; i <= TABLE_STEPS; i++) halves[i] = 2 ** ((-i * 16) / TABLE_STEPS)

/** What is left of 1 after an age, halved with each half-life; 0 after sixteen of them. */
export function decayed(age: number, halfLife: number): number {
  const step = ((age * TABLE_STEPS) / 16 / halfLife) | 0
  return step < TABLE_STEPS ? halves[step]! : 0
}
