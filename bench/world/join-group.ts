// Preloaded into a server (node --import): adds the process to the group named in its environment.

import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const members = process.env['BENCH_GROUP']
if (isMainThread && members) writeFileSync(members, String(process.pid))
