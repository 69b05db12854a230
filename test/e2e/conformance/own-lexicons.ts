// The lexicons of our own methods, which are in no official package.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { schemas } from '@atproto/api'

const FOLDER = join(import.meta.dirname, '../../../lexicons/io')

export const ownLexicons = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as (typeof schemas)[number])
