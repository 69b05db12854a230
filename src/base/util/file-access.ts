// Says in words why a file or folder can't be used, and by whom: the installed command and the server run
// as an account of their own, which often may not enter the folder of the person who calls.

import { accessSync, constants } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'

type AccessTrouble = { message: string; hint: string }

type Wanted = 'read' | 'written'

/** For errors of the file system; `hint` fits where the error's code says nothing particular. */
export function explainAccess(
  path: string,
  wanted: Wanted,
  error: unknown,
  hint: string,
): AccessTrouble {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && wanted === 'read') return { message: `There is no file ${path}.`, hint }
  if (code === 'EACCES' || code === 'EPERM') {
    const verb = wanted === 'read' ? 'read' : 'write to'
    return {
      message: `The account ${accountName()} may not ${verb} ${path}, or enter a folder above it.`,
      hint: wanted === 'read' ? readHint(hint) : writeHint(path),
    }
  }
  if (code === 'EROFS') {
    return {
      message: `${path} is read-only for this process.`,
      hint: 'Mount it for writing; under systemd, name it in ReadWritePaths= (`sudo systemctl edit slipstream-backup`).',
    }
  }
  return { message: `${path} cannot be ${wanted}: ${message}.`, hint }
}

/** Whether the file system of this folder, or of its nearest one there is, lets nobody write. */
export function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return false
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && dirname(path) !== path) return isReadOnly(dirname(path))
    return code === 'EROFS'
  }
}

function readHint(hint: string): string {
  return `Let your shell open it: write - instead of the name, and < FILE after it. ${hint}`
}

function writeHint(path: string): string {
  return `Give it to that account (\`sudo chown ${accountName()} ${path}\`), or name a place where it may write.`
}

/** Of this process; its number where it has no name, as in a container. */
export function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
