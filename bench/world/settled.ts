// Waits until an instance has taken in what a stream brought.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { type RunningApp, receivedEvents } from './running-app.ts'

const POLL_MS = 200
const SEARCH_POLL_MS = 3_000

/** @param events - since the start */
export async function caughtUp(app: RunningApp, events: number): Promise<void> {
  for (let received = 0; received < events; ) {
    await pause(POLL_MS)
    received = await receivedEvents(app)
  }
}

/** The search index takes in what was caught up with after everything else. */
export async function searchable(dataDir: string): Promise<void> {
  const db = new Database(join(dataDir, 'slipstream.sqlite'), { readonly: true })
  const left = db
    .prepare<[], number>(
      'SELECT (SELECT count(*) FROM search_queue) + (SELECT count(*) FROM search_backlog)',
    )
    .pluck()
  while (left.get()! > 0) await pause(SEARCH_POLL_MS)
  db.close()
}
