// For checks that look into the data folder: one that this user may not enter looks empty, and nothing may be
// concluded from that.

import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FILE_NAME } from '../../data/store/db.ts'
import { type Finding, unchecked } from './finding.ts'
import type { Patient } from './patient.ts'

type Run = (patient: Patient) => Finding[]

export function inFolder(run: Run): Run {
  return (patient) => {
    const { dataDir } = patient.config
    if (!isClosed(dataDir)) return run(patient)
    return [unchecked(`this user may not look into ${resolve(dataDir)}: see permissions`)]
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
