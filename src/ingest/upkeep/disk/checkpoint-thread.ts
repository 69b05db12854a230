// A thread that only copies the database's log into its file, each time it is told to.

import { parentPort, workerData } from 'node:worker_threads'
import { copyLogIfThereIsSpace, openCheckpointer } from '../../../data/store/files/checkpoint.ts'

const port = parentPort!
const db = openCheckpointer((workerData as { file: string }).file)

port.on('message', (order: 'copy' | 'stop') => {
  if (order === 'copy') {
    copyLogIfThereIsSpace(db)
    return port.postMessage('copied')
  }
  db.close()
  port.close()
})
