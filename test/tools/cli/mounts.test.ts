// Commands on data folders whose file system is full or read-only: each says what is wrong, where, and what to do, and
// changes nothing. The mounts are those of a namespace of the command's own, which not every machine allows.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backUp } from '../../../src/data/store/files/backup.ts'
import { openEmpty } from '../../support/empty-database.ts'

const MAIN = join(import.meta.dirname, '../../../src/tools/cli/main.ts')
const NAMESPACE = ['--user', '--map-root-user', '--mount']
const mayMount =
  spawnSync('unshare', [...NAMESPACE, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
if (!mayMount) console.warn('no mounts of one’s own here: full and read-only disks are NOT tested')

describe.skipIf(!mayMount)('a disk', () => {
  let base: string
  let backup: string

  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'slipstream-mounts-'))
    for (const name of ['from', 'data', 'backups']) mkdirSync(join(base, name))
    const db = openEmpty(join(base, 'from'))
    backup = (await backUp({ dataDir: join(base, 'from'), into: join(base, 'backups') })).path
    db.close()
  })
  afterAll(() => rmSync(base, { recursive: true }))

  /** Runs a command after others in a namespace, where the data folder is a mount with these options. */
  function run(options: string, command: string, before = 'true'): string {
    const data = join(base, 'data')
    const script = `mount -t tmpfs -o ${options} tmpfs ${data} && { ${before}; } && ${command}; echo "ended with $?"; ls -A ${data}`
    const { stdout, stderr } = spawnSync('unshare', [...NAMESPACE, 'sh', '-c', script], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], SLIPSTREAM_DATA_DIR: data },
    })
    return stderr + stdout
  }
  const slipstream = (args: string) => `${process.execPath} ${MAIN} ${args}`

  test('that is read-only is to be mounted, not given to a user', () => {
    for (const command of ['serve', `restore ${backup}`]) {
      const said = run('ro', slipstream(command))
      expect(said).toContain(
        `The data folder ${join(base, 'data')} is on a file system that is read-only here.`,
      )
      expect(said).toContain('Mount it for writing')
      expect(said).toContain('ended with 78')
    }
    const found = run('ro', slipstream('doctor --only disk'))
    expect(found).toMatch(/can’t be written \(EROFS\)\n.*Mount it for writing/)
    expect(found).not.toContain('chown')
  })

  test('that is full is to be made room on', () => {
    const fill = `head -c 900k /dev/zero > ${join(base, 'data/filler')} || true`
    const found = run('size=256k', slipstream('doctor --only disk'), fill)
    expect(found).toMatch(/files can’t be flushed .*\n.*The disk is full: make room/)
    expect(found).toMatch(/SQLite can’t work there: .*\n.*The disk is full: make room/)
  })

  test('that has no room for what is to be restored is said before anything is copied', () => {
    const said = run('size=256k', slipstream(`restore ${backup}`))
    expect(said).toMatch(/takes \d+ MB, \d+ MB more than is free in .*\/data\./)
    expect(said).toContain('Nothing was changed.')
    expect(said).not.toContain('copying it')
    expect(said).toMatch(/ended with 78\nslipstream\.lock\nslipstream\.pid\n$/)
  })

  test('that fills up while a stream is restored is said once', () => {
    const said = run('size=256k', `${slipstream('restore -')} < ${backup}`)
    expect(said).toMatch(/The disk of the data folder is full \(ENOSPC: no space left/)
    expect(said).toMatch(/ended with 74\nslipstream\.lock\nslipstream\.pid\n$/)
  })
})
