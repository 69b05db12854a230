// What a server has used so far, from its /metrics; undefined where it is no Slipstream or does not show them.

export type Usage = {
  /** Items written to timelines, and those that fan-out left out. */
  writes: number | undefined
  leftOut: number | undefined
  memoryMb: number | undefined
  cpuSeconds: number | undefined
}

const MEBIBYTE = 2 ** 20
const TIMEOUT_MS = 2_000

export async function usageOf(origin: string): Promise<Usage | undefined> {
  try {
    const answer = await fetch(`${origin}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return answer.ok ? readUsage(await answer.text()) : undefined
  } catch {
    return undefined
  }
}

function readUsage(text: string): Usage {
  const value = (name: string): number | undefined => {
    const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
    return found === undefined ? undefined : Number(found)
  }
  const bytes = value('process_resident_memory_bytes')
  return {
    writes: value('slipstream_timeline_writes_total'),
    leftOut: value('slipstream_timeline_writes_left_out_total'),
    memoryMb: bytes === undefined ? undefined : bytes / MEBIBYTE,
    cpuSeconds: value('process_cpu_seconds_total'),
  }
}
