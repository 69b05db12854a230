// Work on rows that is not urgent: a slice at a time between the stream's batches, followed by a rest at
// least as long. While the disk is full it waits.

import type { DiskSpace } from './disk/disk-space.ts'

export type SliceContext = {
  /** Called between slices, as between batches, and awaited. */
  checkpoint: () => Promise<void> | undefined
  diskSpace: Pick<DiskSpace, 'ifThereIsSpace'>
}

export function workInSlices({
  slice,
  restTimes,
  shortestMs,
  idleMs,
  checkpoint,
  diskSpace,
}: SliceContext & {
  /** @returns whether work is left */
  slice: () => boolean
  /** Asked before each slice: the rest after it, as a multiple of its duration. */
  restTimes: () => number
  /** Shortest rest. */
  shortestMs: number
  /** Pause before looking for work again. */
  idleMs: number
}): { stop(): void } {
  let timer = setTimeout(work, idleMs)
  let isStopped = false

  function work(): void {
    const times = restTimes()
    const began = performance.now()
    let isLeft = false
    diskSpace.ifThereIsSpace(() => {
      isLeft = slice()
    })
    const rest = (performance.now() - began) * times
    const held = isLeft ? checkpoint() : undefined
    const goOn = () => workAfter(isLeft ? Math.max(rest, shortestMs) : idleMs)
    if (held) void held.then(goOn)
    else goOn()
  }

  function workAfter(waitMs: number): void {
    if (!isStopped) timer = setTimeout(work, waitMs)
  }

  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
