// Looks at the servers every second: what they were asked since, what they used, how far behind they are.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Recorder } from './figures.ts'
import { momentOf, type Point } from './history.ts'
import type { Server } from './servers.ts'
import type { Usage } from './usage.ts'

const EVERY_MS = 1_000

type Look = { seconds: number; usage: (Usage | undefined)[] }

export function watch(
  servers: readonly Server[],
  recorder: Recorder,
  onPoint: (point: Point) => void,
): { stop(): Promise<void> } {
  const controller = new AbortController()
  const { signal } = controller

  async function look(): Promise<Look> {
    const [usage] = await Promise.all([
      Promise.all(servers.map((server) => server.usage())),
      ...servers.map(async ({ name, lagMs }) => recorder.lag(name, await lagMs())),
    ])
    return { seconds: recorder.seconds(), usage }
  }

  async function run(): Promise<void> {
    let before = await look()
    recorder.takeLatest()
    for (;;) {
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      const now = await look()
      const since = now.seconds - before.seconds
      const moments = recorder.takeLatest().map((requested, i) => {
        return momentOf({ ...requested, usage: [before.usage[i], now.usage[i]] }, since)
      })
      onPoint({ seconds: now.seconds, servers: moments })
      before = now
    }
  }

  const running = run()
  return {
    async stop() {
      controller.abort()
      await running
    },
  }
}
