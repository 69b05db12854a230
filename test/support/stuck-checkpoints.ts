// Preloaded into a server (node --import): its checkpoint thread never reports that it has copied the log, so
// waiting for it never ends, and timers of one second fire fifty times a second.

import { parentPort, threadId } from 'node:worker_threads'

const EACH_SECOND = 1_000
const setReally = globalThis.setInterval

if (parentPort && threadId > 0) {
  const post = parentPort.postMessage.bind(parentPort)
  parentPort.postMessage = (message: unknown) => {
    if (message !== 'copied') post(message)
  }
}

globalThis.setInterval = ((work: () => void, ms: number, ...rest: []) =>
  setReally(work, ms === EACH_SECOND ? 20 : ms, ...rest)) as typeof setInterval
