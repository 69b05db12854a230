// Work on rows that has no hurry: a slice at a time between the batches of the stream, and after each at least a rest
// as long as it took. Where the disk is full it waits.

import type { DiskRoom } from './disk/disk-room.ts'

export type SliceParts = {
  /** Between two slices, as between two batches; what it returns is waited for. */
  checkpoint: () => Promise<void> | undefined
  room: Pick<DiskRoom, 'ifThereIsRoom'>
}

export function workInSlices({
  slice,
  restTimes,
  shortestMs,
  idleMs,
  checkpoint,
  room,
}: SliceParts & {
  /** @returns whether something is left to do */
  slice: () => boolean
  /** Asked before each slice: how many times as long as it takes nothing is done after it. */
  restTimes: () => number
  /** Of a rest. */
  shortestMs: number
  /** Until it is looked again whether there is something to do. */
  idleMs: number
}): { stop(): void } {
  let timer = setTimeout(work, idleMs)
  let isStopped = false

  function work(): void {
    const times = restTimes()
    const began = performance.now()
    let isLeft = false
    room.ifThereIsRoom(() => {
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
