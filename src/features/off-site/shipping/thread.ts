// The thread that ships while the server runs.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { letOthersGoFirst } from '../../../ingest/upkeep/niceness.ts'
import { createS3 } from '../bucket/s3.ts'
import { sealedObjects } from '../copying/objects.ts'
import { keysFrom } from '../sealing/keys.ts'
import { FOLDER } from '../status.ts'
import { shipUntilStopped } from './loop.ts'
import { openShipper } from './shipper.ts'
import type { ThreadData, ThreadMessage } from './thread-data.ts'

const port = parentPort!
const data = workerData as ThreadData
const stop = new AbortController()
const wanted = join(data.dataDir, FOLDER, 'wanted')
const tell = (message: ThreadMessage) => port.postMessage(message)

letOthersGoFirst()
port.on('message', () => stop.abort())
const keys = await keysFrom(data.key)
const shipper = openShipper({ ...data, keys, objects: sealedObjects(createS3(data.s3), keys) })
await shipUntilStopped(shipper, {
  everyMs: data.everyMs,
  trialDays: data.trialDays,
  signal: stop.signal,
  isWanted,
  log: {
    info: (fields, message) => tell({ level: 'info', fields, message }),
    warn: (fields, message) => tell({ level: 'warn', fields, message }),
  },
})
shipper.close()
port.close()

/** The command line asks by a file. */
function isWanted(): boolean {
  if (!existsSync(wanted)) return false
  rmSync(wanted, { force: true })
  return true
}
