// Loaded ahead of a server (node --import): takes the process into the group that its environment names.

import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const members = process.env['BENCH_GROUP']
if (isMainThread && members) writeFileSync(members, String(process.pid))
