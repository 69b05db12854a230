// A port that is free now, for processes whose address must be known before they start: below those that the
// system deals out by itself, so that nothing else that runs beside takes it in between.

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const [FROM, TO] = [15_000, 32_000]
const TRIES = 100

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(FROM, TO)
    if (await isFree(port)) return port
  }
  throw new Error(`no port between ${FROM} and ${TO} is free`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
