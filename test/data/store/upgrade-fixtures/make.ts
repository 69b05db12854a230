// Makes the fixtures of upgrades.test.ts: for each schema that ever landed, a database as the version of that time
// wrote it, with that version's own code. Run it by hand, in a clone with the whole history:
//   node test/data/store/upgrade-fixtures/make.ts

import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'

/** The last commit with each schema. */
const COMMITS =
  'd5ba0067 cd9a4246 1ea516f5 12b72c31 4dddcff2 1d4f26e9 b860c588 0773212f 44e0def1 d44403cd 466020ad 8cf3c571 76a9b6f2 1298f78e 130de085 2588d5e4 b265bcb3 9bd4c089 a3bcf7a5 e43d3719 3ab0fb13 fb83d61d bbd156b1 3c82432b 43503ea2 89887f27'

const HERE = import.meta.dirname
const ROOT = join(HERE, '../../../..')
const LEVEL = 19

const RUNNER = `
import Database from 'better-sqlite3'
import { liveInWorld, MEMBERS } from './acts.ts'
import { createWorld } from './world.ts'

const world: any = createWorld({ members: MEMBERS })
liveInWorld(world, (did, subject) =>
  world.mute ? world.mute(did, subject) : world.request({ id: 1, did, kind: 'mute', subjectDid: subject }),
)
const db = new Database(world.dataDir + '/slipstream.sqlite')
db.pragma('wal_checkpoint(TRUNCATE)')
const schema = db.pragma('user_version', { simple: true })
db.exec("VACUUM INTO '" + process.argv[2] + "'")
process.stdout.write(String(schema))
process.exit(0)
`

for (const commit of COMMITS.split(' ')) {
  const tree = mkdtempSync(join(tmpdir(), 'slipstream-upgrade-'))
  const git = (...args: string[]) => execFileSync('git', ['-C', ROOT, ...args])
  try {
    git('worktree', 'add', '-q', '--force', '--detach', tree, commit)
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
    const support = join(tree, 'test/support')
    copyFileSync(join(HERE, 'acts.ts'), join(support, 'acts.ts'))
    writeFileSync(join(support, 'run-acts.ts'), RUNNER)
    const file = join(tree, 'made.sqlite')
    const schema = execFileSync(process.execPath, [join(support, 'run-acts.ts'), file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }
    const packed = zstdCompressSync(readFileSync(file), { params })
    const name = `${schema.padStart(3, '0')}-${commit}.sqlite.zst`
    writeFileSync(join(HERE, name), packed)
    process.stderr.write(`${name}: ${packed.length} bytes\n`)
  } catch (error) {
    const { stderr, message } = error as { stderr?: Buffer | string; message: string }
    process.stderr.write(`${commit}: ${String(stderr ?? message).slice(0, 600)}\n`)
  } finally {
    git('worktree', 'remove', '--force', tree)
    rmSync(tree, { recursive: true, force: true })
  }
}
