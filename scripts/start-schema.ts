// node scripts/start-schema.ts: writes src/data/store/migrations/start/schema.sql, which a new folder begins with, from
// the core's migrations up to now. To be run when there are many steps after it; nothing else depends on how many.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSchema } from './schema/squash.ts'

const FILE = join(import.meta.dirname, '../src/data/store/migrations/start/schema.sql')

writeFileSync(FILE, startSchema())
