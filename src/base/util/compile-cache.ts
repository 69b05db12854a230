// Stores the code that V8 compiled for this start, so that the next one needs less than half the time. Node
// does so only when a process ends by itself: without this, a server that was killed or crashed, or never
// stopped since its upgrade, would compile everything again, just when it is waited for. Each thread stores
// the modules it has loaded, once; then there is nothing new to store. Does nothing where Node has no folder
// for it (NODE_COMPILE_CACHE, which scripts/start sets).

import { flushCompileCache } from 'node:module'

/**
 * By then the server answers; the first time, storing takes a thread 0.2 to 0.3 s. Not when unused
 * memory is given back (unused-memory.ts), since both would be one turn.
 */
const AFTER_MS = 4_000

export function storeCompiledCode(): void {
  setTimeout(flushCompileCache, AFTER_MS).unref()
}
