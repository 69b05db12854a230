// What a test file may not leave to the files after it, which run in the same process (vitest.config.ts): settings in
// the environment, another folder or umask, fake timers, listeners on the process, servers that still listen. Modules
// stay loaded, as they do in a server: what they hold has to be true for every world.

import { afterAll, expect, vi } from 'vitest'
import { eventually } from './eventually.ts'

const SERVERS = new Set(['TCPServerWrap', 'PipeServerWrap', 'UDPWrap'])
/** Modules listen to these for themselves, once they are loaded. */
const OF_MODULES = new Set(['exit', 'beforeExit', 'newListener', 'removeListener'])
const CLOSING_MS = 60_000

const environment = { ...process.env }
const before = stateOfProcess()

afterAll(async () => {
  const isAsBefore = () => expect(stateOfProcess(), 'left to the next file').toEqual(before)
  await eventually(isAsBefore, { withinMs: CLOSING_MS })
})

function stateOfProcess() {
  return {
    // Names only: values may be secrets, and a difference is printed.
    changedSettings: changedSettings(),
    folder: process.cwd(),
    umask: process.umask(),
    hasFakeTimers: vi.isFakeTimers(),
    listeners: listeners(),
    servers: process.getActiveResourcesInfo().filter((name) => SERVERS.has(name)),
  }
}

function changedSettings(): string[] {
  const names = new Set([...Object.keys(environment), ...Object.keys(process.env)])
  return [...names].filter((name) => environment[name] !== process.env[name])
}

function listeners(): Record<string, number> {
  const names = process.eventNames().filter((name) => !OF_MODULES.has(String(name)))
  const counts = names.map((name) => [String(name), process.listenerCount(name)])
  return Object.fromEntries(counts.filter(([, count]) => count !== 0))
}
