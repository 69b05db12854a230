// How a script of this project (npm run …) is called: told on --help, and below what was wrong with how it was called.

import { EXIT } from './fail.ts'

/** @returns what `read` makes of the arguments; the process ends with the usage on --help, or where it throws. */
export function readArguments<T>(
  usage: string,
  read: (args: string[]) => T,
  args: string[] = process.argv.slice(2),
): T {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return read(args)
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    process.exit(EXIT.usage)
  }
}
