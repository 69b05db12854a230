// For checks that look into the data folder: a folder that this user may not enter looks empty, which must
// not lead to conclusions.

import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FILE_NAME } from '../../data/store/db.ts'
import type { Check } from './examine.ts'
import { unchecked } from './finding.ts'

export function inFolder(run: Check['run']): Check['run'] {
  return (doctor) => {
    const { dataDir } = doctor.config
    if (!isClosed(dataDir)) return run(doctor)
    return [unchecked(`this user can’t read ${resolve(dataDir)}: see permissions`)]
  }
}

function isClosed(dataDir: string): boolean {
  try {
    statSync(join(dataDir, FILE_NAME), { throwIfNoEntry: false })
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}
