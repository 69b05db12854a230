// Finds a free port for processes whose address must be known before they start. It is below the range that
// the system assigns itself, so that no other process takes it in between.

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
