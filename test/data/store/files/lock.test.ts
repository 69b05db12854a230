import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { lockDataDir } from '../../../../src/data/store/files/lock.ts'

const lockModule = new URL('../../../../src/data/store/files/lock.ts', import.meta.url).pathname
const holders: ReturnType<typeof spawn>[] = []

afterEach(() => {
  for (const holder of holders.splice(0)) holder.kill('SIGKILL')
})

async function startHolder(dataDir: string) {
  const script = `import { lockDataDir } from ${JSON.stringify(lockModule)}
    lockDataDir(${JSON.stringify(dataDir)}); console.log('held'); setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script])
  holders.push(holder)
  await once(holder.stdout, 'data')
  return holder
}

function freshDir(): string {
  return mkdtempSync(join(tmpdir(), 'slipstream-lock-'))
}

test('a second process on a data folder is refused, naming the first', async () => {
  const dataDir = freshDir()
  const holder = await startHolder(dataDir)
  expect(() => lockDataDir(dataDir)).toThrow(new RegExp(`process ${holder.pid}.*${dataDir}`))
})

test('the lock of a killed process is free at once', async () => {
  const dataDir = freshDir()
  const holder = await startHolder(dataDir)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  lockDataDir(dataDir).release()
})

test('a released lock can be taken again', () => {
  const dataDir = freshDir()
  lockDataDir(dataDir).release()
  lockDataDir(dataDir).release()
})

test('a data folder that cannot be created is an error with a hint', () => {
  const file = join(freshDir(), 'file')
  writeFileSync(file, '')
  expect(() => lockDataDir(join(file, 'below'))).toThrow(/is a file, not a folder/)
})
